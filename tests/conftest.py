"""Fixtures shared by all tests, and the real servers' beginning and end."""

import gc
import os
import shutil
import signal
import ssl
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from drretail.data_ingest.demo import MARKET
from drretail.data_ingest.demo import build_shop as build_market
from drretail.env.web.sandbox import SandboxWeb
from drretail.env.world import World, world_at
from drretail.progress import Progress
from tests.servers.running import own_this_run, stop_those_of_this_run
from tests.shop import PAGES, build_shop

pytest_plugins = ["tests.cli.commands", "tests.servers.fixtures", "tests.viewer.browsing"]


# An example takes as long as the machine lets it; a test that hangs is ended by its time-out. Every run draws others.
settings.register_profile("drretail", deadline=None, max_examples=40)
settings.load_profile("drretail")

REAL_SERVERS = {"mongo_url", "es_url"}
"""Fixtures by which a test is known to need a real server."""
SLOW = {"browser"}
"""Fixtures by which a test is known to start a browser."""
ROOT = Path(__file__).parents[1]
FETCHING = 1800
"""Seconds for a test with real servers: the first one may fetch and start them."""


# As the command sets it: two workers on two cores, and small matrices.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


TOGETHER = (
    # the process that forks commands, which loads the whole package
    {
        *("tests/cli/test_interrupting.py", "tests/cli/test_killed_writes.py", "tests/cli/test_mcp.py"),
        *("tests/addons/test_killed_writes.py", "tests/addons/test_hostile_texts.py", "tests/addons/gym/test_trial.py"),
    },
    # the market, which takes twenty seconds to make
    {"tests/querygen/test_generate.py", "tests/querygen/test_reading.py"},
    # nothing: few tests that take long, and would be left for the end
    {"tests/cli/test_demo.py", "tests/api/test_own_wording.py"},
)
"""Files that share what only one worker needs to make; they come first."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Gives all tests of a file to one worker, so that what they share is made once; and of some files as well."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            path = super()._split_scope(nodeid)
            return next((min(files) for files in TOGETHER if path in files), path)

    config.option.loadscopereorder = False
    return Scheduling(config, log)


@pytest.hookimpl(tryfirst=True)  # before those that -m does not choose are left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests of real servers, and as slow those of servers, Spark and browsers."""
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if fixtures & REAL_SERVERS:
            item.add_marker("servers")
            item.add_marker(pytest.mark.timeout(FETCHING))
        if fixtures & SLOW or item.get_closest_marker("servers") or item.get_closest_marker("spark"):
            item.add_marker("slow")
    # Files are handed out in this order: what takes long may not be left for the end, with one worker.
    sizes = Counter(item.path for item in items)
    long = {item.path for item in items if item.get_closest_marker("servers") or item.get_closest_marker("spark")}
    long |= {ROOT / name for names in TOGETHER for name in names}
    items.sort(key=lambda item: (item.path not in long, -sizes[item.path], item.path))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collects no garbage while tests are collected, leaves what was imported out, and collects less often."""
    gc.disable()
    result = yield
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)  # Python's own are 700, 10, 10
    gc.enable()
    return result


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Every second worker begins with the last folder, so that no two compile all tests; they are sorted afterwards."""
    report = yield
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    if worker % 2 and isinstance(collector, pytest.Directory):
        report.result.reverse()
    return report


def pytest_configure(config: pytest.Config) -> None:
    os.fsync = _not_awaited
    ssl.SSLContext.load_verify_locations = _without_authorities
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a script; children would inherit it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, _end)
    if not hasattr(config, "workerinput"):
        own_this_run()
        # Tests write, copy and delete many files, and each costs a fifth in memory of what it costs on a disk.
        if Path("/dev/shm").is_dir() and shutil.disk_usage("/dev/shm").free > 4 * 2**30:
            os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", "/dev/shm")


def _not_awaited(descriptor: int) -> None:
    """In the place of fsync, whose wait for the disk was a quarter of some tests' time.

    No test cuts the power, and those of what is written when have an fsync of their own.
    """
    os.fstat(descriptor)


_load_verify_locations = ssl.SSLContext.load_verify_locations
SMALL = 50_000
"""Bytes of the largest file of certificates that a test makes; the system's authorities are several times that."""


def _without_authorities(self: ssl.SSLContext, cafile: Any = None, capath: Any = None, cadata: Any = None) -> None:
    """Leaves out the world's authorities, which take each client of a model 25 ms to load: no test asks the world."""
    if cafile is None or Path(os.fsdecode(cafile)).stat().st_size <= SMALL:
        _load_verify_locations(self, cafile, capath, cadata)


def _end(*_: object) -> None:
    """Ends like Ctrl-C, so that fixtures and servers are torn down."""
    signal.raise_signal(signal.SIGINT)


def pytest_unconfigure() -> None:
    gc.unfreeze()  # libraries complain of what is left at the end
    stop_those_of_this_run()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says how many tests were left out for want of a server or browser, and why: a skip alone is easily overlooked."""
    skipped: list[pytest.TestReport] = terminalreporter.stats.get("skipped", [])
    reasons = [report.longrepr[2] for report in skipped if isinstance(report.longrepr, tuple)]
    for mark, what in (("no real server: ", "with real servers"), ("no browser: ", "in a browser")):
        left_out = [reason for reason in reasons if mark in reason]
        if left_out:
            causes = "; ".join(sorted({reason.partition(mark)[2] for reason in left_out}))
            terminalreporter.write_line(f"{len(left_out)} tests {what} were skipped: {causes}", yellow=True)


@pytest.fixture(scope="session")
def tiny_shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the tiny shop, for tests that change nothing in it."""
    return build_shop(tmp_path_factory.mktemp("shop") / "world")


@pytest.fixture(scope="session")
def world(tiny_shop: Path) -> Iterator[World]:
    """The tiny shop with its web pages."""
    with world_at(tiny_shop, web=SandboxWeb(PAGES)) as opened:
        yield opened


@pytest.fixture(scope="session")
def market(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """The larger of the shops that ship, as this version makes it."""
    with world_at(build_market(tmp_path_factory.mktemp("market") / "shop", Progress(), MARKET)) as opened:
        yield opened


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
