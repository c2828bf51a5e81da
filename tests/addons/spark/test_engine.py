"""The Spark engine: the same world as DuckDB's from the same files, on local threads and on a real cluster.

Skipped without pyspark or Java."""

import os
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from drretail.addons.spark.engine import select
from drretail.addons.spark.session import find_java
from drretail.data_ingest.engines.base import SelectionTask
from drretail.data_ingest.ingest import ingest_files
from drretail.data_ingest.plan import IngestReport, IngestSettings, plan_inputs
from drretail.data_ingest.raw.lines import recognise
from drretail.data_ingest.raw.sources import find_files
from drretail.data_ingest.selected import LEFT_OUT
from drretail.env.folder import check_world
from drretail.progress import Progress
from tests.addons.spark.cluster import Cluster, running_cluster, write_every_dialect
from tests.cli.commands import MAIN, environment
from tests.data_ingest.raw_rows import small_shop

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

LOCAL = "local[2]"
# Small inputs end before the better compiler of Java pays.
QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
VARIED = IngestSettings(min_interactions=1, cap=16, vary_orders=True, seed="s'7")
BY_COUNT = IngestSettings(min_interactions=2, cap=9, cap_by="interactions")


@pytest.fixture(scope="module", autouse=True)
def quick_java() -> Generator[None]:
    pytest.importorskip("pyspark", reason="no pyspark: pip install --group slow-tests")
    if find_java() is None:
        pytest.skip("no Java here: install one (17 or later) or set JAVA_HOME")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JDK_JAVA_OPTIONS", f"{os.environ.get('JDK_JAVA_OPTIONS', '')} {QUICK_JAVA}".strip())
        patch.setenv("PYSPARK_PYTHON", "/nonexistent/python")
        yield


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Generator[Cluster]:
    """Two workers of one core each."""
    with running_cluster(tmp_path_factory.mktemp("cluster"), workers=2) as running:
        yield running


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_every_dialect(tmp_path_factory.mktemp("every dialect [a]"))


def assert_equal(spark: IngestReport, duckdb: IngestReport) -> None:
    """Field by field, so that a failure says where."""
    assert spark.files == duckdb.files
    assert spark.categories == duckdb.categories
    assert spark.model_copy(update={"world": None}) == duckdb.model_copy(update={"world": None})
    assert spark.fingerprint is not None


def test_spark_makes_the_world_that_duckdb_makes_of_every_dialect_and_quirk(raw: Path, tmp_path: Path) -> None:
    expected = ingest_files([raw], tmp_path / "duckdb", VARIED)
    found = ingest_files([raw], tmp_path / "a [1] * b" / "spark", VARIED, engine="spark", master=LOCAL)
    assert_equal(found, expected)
    assert check_world(tmp_path / "a [1] * b" / "spark") == []
    # Something of each kind is there to be equal.
    assert {*found.products.merged, *found.products.left_out} > {"the same product again"}
    assert {*found.products.left_out, *found.reviews.left_out} > {*LEFT_OUT.values()}
    assert any(file.account.left_out for file in found.files)


def test_a_cluster_of_two_workers_makes_the_same_world(cluster: Cluster, raw: Path, tmp_path: Path) -> None:
    expected = ingest_files([raw], tmp_path / "duckdb", BY_COUNT)
    found = ingest_files([raw], tmp_path / "spark", BY_COUNT, engine="spark", master=cluster.master)
    assert_equal(found, expected)
    assert cluster.workers_used() == 2


def test_spark_reads_plain_lines_alone_and_what_it_has_finished_is_not_made_again(tmp_path: Path) -> None:
    folder, options = tmp_path / "work", IngestSettings()
    folder.mkdir()
    plan = plan_inputs([recognise(path) for path in find_files([small_shop(tmp_path / "raw")], folder)], options)
    task = SelectionTask(plan, options, folder, Progress(), master=LOCAL)
    first = select(task)
    (work,) = task.work.iterdir()
    assert {path.name for path in work.glob("*_l*")} == {"products_lines", "reviews_lines", "kept_lines"}
    made = {path: path.stat().st_mtime_ns for path in work.rglob("*.parquet")}
    for path in first.orders.iterdir():
        path.unlink()  # as if the run had been killed before the last step

    again = select(task)

    assert (again.files, again.tables) == (first.files, first.tables)
    kept = {path: path.stat().st_mtime_ns for path in work.rglob("*.parquet") if path.parent != again.orders}
    assert kept.items() <= made.items()
    assert list(again.orders.glob("*.parquet"))


@pytest.mark.parametrize("moment", ["log4j2.properties", "spark.log"], ids=["Java starts", "Spark works"])
def test_sigterm_ends_the_ingest_in_one_sentence(tmp_path: Path, moment: str) -> None:
    command = ["ingest", str(small_shop(tmp_path / "raw")), "--world", "w", "--engine", f"spark:{LOCAL}"]
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, *command], cwd=tmp_path, env=environment(tmp_path), stderr=subprocess.PIPE
    )
    while not any(tmp_path.rglob(moment)) and process.poll() is None:
        time.sleep(0.1)
    process.terminate()  # ends Java, which would hold the pipe open
    said = process.communicate(timeout=120)[1].decode()
    assert process.returncode == 130
    assert "Traceback" not in said
    assert said.rstrip().endswith("\nInterrupted: the same command continues from here.")
