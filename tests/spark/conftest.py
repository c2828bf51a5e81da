"""Spark for the tests: skipped without pyspark or Java, and a real cluster of two workers that ends with them."""

import os
from collections.abc import Generator

import pytest

from drretail.data_ingest.engines.spark_session import find_java
from tests.spark.cluster import Cluster, running_cluster

# Small inputs end before the better compiler of Java pays.
QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@pytest.fixture(scope="session", autouse=True)
def quick_java() -> Generator[None]:
    pytest.importorskip("pyspark", reason="no pyspark: pip install --group slow-tests")
    if find_java() is None:
        pytest.skip("no Java here: install one (17 or later) or set JAVA_HOME")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JDK_JAVA_OPTIONS", f"{os.environ.get('JDK_JAVA_OPTIONS', '')} {QUICK_JAVA}".strip())
        patch.setenv("PYSPARK_PYTHON", "/nonexistent/python")
        yield


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Generator[Cluster]:
    """Two workers of one core each."""
    with running_cluster(tmp_path_factory.mktemp("cluster"), workers=2) as running:
        yield running
