"""Fixtures shared by all tests."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def realdata() -> Path:
    """The folder of real Amazon rows, which never enters the project: tests skip where it is absent."""
    beside = Path(__file__).parents[2] / "shared" / "realdata"
    folder = Path(os.environ.get("DRRETAIL_REALDATA", beside))
    if not folder.is_dir():
        pytest.skip("no real rows here: set DRRETAIL_REALDATA to a folder that holds amazon/")
    return folder


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
