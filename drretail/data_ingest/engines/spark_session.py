"""A Spark session for one selection, and what can go wrong with it as one sentence each."""

import logging
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from drretail.errors import UserError, install_line

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession


OLDEST_JAVA = 17
SECONDS = 20


def find_java(environ: Mapping[str, str] = os.environ) -> Path | None:
    """That of JAVA_HOME when it is set, else the first on the PATH."""
    home = environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home) / "bin") if home else environ.get("PATH", ""))
    return Path(found) if found else None


def java_version(java: Path) -> int:
    """17 of "17.0.15", 8 of "1.8.0"; 0 where the program does not start or say."""
    try:
        version = subprocess.run(  # noqa: S603 -- the user's own java, as Spark starts it
            [java, "-version"], capture_output=True, text=True, timeout=SECONDS, check=False
        ).stderr
    except (OSError, subprocess.SubprocessError):
        return 0
    match = re.search(r'version "(?:1\.)?(\d+)', version)
    return int(match[1]) if match else 0


LOCAL = "local[*]"
CONNECT_SECONDS = 10
PATIENCE_SECONDS = 60
"""For this long a cluster may be without a worker for us: at the start, and later in between."""
_LOCAL = re.compile(r"local(\[(\d+|\*)\])?")
_CLUSTER = re.compile(r"spark://[^/\s]+:\d+")
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_LOCAL_MEMORY_MB = 4_000
# Shared by reading and shuffling: the least at which one task does not drown in its own start-up.
_PARTITION_BYTES = 32 << 20
_LOG_SETTINGS = """\
rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {file}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d %p %c: %m%n%ex
"""


@contextmanager
def spark_session(
    master: str, work: Path, input_bytes: int, *, patience: float = PATIENCE_SECONDS
) -> Generator["SparkSession"]:
    """A session at a master ("local[2]", "spark://host:7077"), stopped at the end; its log is ``work``/spark.log.

    Needs ``check_installed``. Raises UserError where the master does not answer, or no worker is there for ``patience``
    seconds; an error of Spark inside the block becomes a UserError too.
    """
    check_master(master)
    # It writes what the exceptions say to stderr as well.
    logging.getLogger("SQLQueryContextLogger").disabled = True
    with spark_errors(master):
        from pyspark.sql import SparkSession

        if SparkSession.getActiveSession() is not None:
            raise UserError("A Spark session is open in this process already: stop it first.")
        builder = SparkSession.builder.master(master).appName("drretail ingest")
        for name, value in _settings(master, work, input_bytes).items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
    try:
        with _watched(session.sparkContext, master, patience), spark_errors(master):
            yield session
    finally:
        with spark_errors(master):
            session.stop()


def check_installed() -> None:
    """Raises UserError where pyspark or a Java that it can use is missing."""
    try:
        import pyspark  # noqa: F401  # pyright: ignore[reportUnusedImport]  # whether it is there
    except ImportError:
        raise UserError(f"The Spark engine needs pyspark: {install_line('pyspark')}.") from None
    java = find_java()
    if java is None:
        raise UserError(
            f"The Spark engine needs Java {OLDEST_JAVA} or later and finds none: "
            "install it, or set JAVA_HOME to its folder."
        )
    version = java_version(java)
    if version < OLDEST_JAVA:
        raise UserError(
            f"The Spark engine needs Java {OLDEST_JAVA} or later, and {java} is Java {version}: "
            "set JAVA_HOME to a later one."
        )


def spark_version() -> str:
    import pyspark

    return pyspark.__version__


def check_master(master: str) -> None:
    """Raises UserError for an address that is none, and for a cluster that does not answer."""
    if _LOCAL.fullmatch(master):
        return
    if not _CLUSTER.fullmatch(master):
        raise UserError(f"--master {master!r} is unknown: write local[N] or spark://host:port.")
    addresses = master.removeprefix("spark://").split(",")
    problems = [problem for address in addresses if (problem := _unreachable(address))]
    if len(problems) == len(addresses):
        raise UserError(f"There is no Spark master at {master} ({problems[0]}): start it, or correct --master.")


@contextmanager
def spark_errors(master: str) -> Generator[None]:
    """Turns an error of Spark, or the end of its Java process, into a UserError of one sentence."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError, ConnectionError) as problem:
        raise UserError(f"The selection failed on Spark ({master}): {_gist(problem)}") from problem


def is_local(master: str) -> bool:
    return master.startswith("local")


def _settings(master: str, work: Path, input_bytes: int) -> dict[str, str]:
    """What the result or the machine depends on; the rest is the cluster's own (conf/spark-defaults.conf)."""
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={_log_settings(work)}",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.ansi.enabled": "true",
        "spark.sql.caseSensitive": "true",
        "spark.sql.shuffle.partitions": str(min(max(input_bytes // _PARTITION_BYTES, 4), 2_000)),
    }
    if is_local(master):
        half = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2_000_000
        settings["spark.driver.memory"] = f"{min(_LOCAL_MEMORY_MB, half)}m"
    if is_local(master) or all(_host(address) in _LOOPBACK for address in master[8:].split(",")):
        # Otherwise the name of this machine, which its own network may not know.
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    return settings


def _log_settings(work: Path) -> str:
    """The address of a file, without the blanks that a path may have."""
    path = work / "log4j2.properties"
    path.write_text(_LOG_SETTINGS.format(file=work / "spark.log"), encoding="utf-8")
    return path.resolve().as_uri()


def _host(address: str) -> str:
    return address.rpartition(":")[0]


def _unreachable(address: str) -> str | None:
    """Why no connection to "host:port" can be made."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()
    except OSError as problem:
        return f"{address}: {problem.strerror or problem}"
    return None


@contextmanager
def _watched(context: "SparkContext", master: str, patience: float) -> Generator[None]:
    """Ends what runs when the cluster has no worker left: Spark itself would wait for one for ever."""
    if is_local(master):
        yield
        return
    deadline = time.monotonic() + patience
    while not (ready := _workers(context) > 0) and time.monotonic() < deadline:
        time.sleep(0.2)
    if not ready:
        raise UserError(
            f"No worker of {master} took the job within {patience:g} s: start workers with free cores and memory."
        )
    watch = _Watch(context, patience)
    try:
        yield
    except UserError as problem:
        if not watch.lost.is_set():
            raise
        raise UserError(f"All workers of {master} were lost: start them again and repeat the command.") from problem
    finally:
        watch.end()


class _Watch:
    """Looks once a second whether any worker is there."""

    def __init__(self, context: "SparkContext", patience: float) -> None:
        self.lost = Event()
        self._ended = Event()
        self._thread = Thread(target=self._look, args=(context, patience), daemon=True, name="spark-workers")
        self._thread.start()

    def end(self) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self, context: "SparkContext", patience: float) -> None:
        seen = time.monotonic()
        while not self._ended.wait(1):
            if _workers(context) > 0:
                seen = time.monotonic()
            elif time.monotonic() - seen > patience:
                self.lost.set()
                _cancel(context)
                return


def _workers(context: "SparkContext") -> int:
    """How many executors this application has; none when the context was stopped."""
    from py4j.protocol import Py4JError

    # There is no public way to ask; it is None once the context has stopped.
    java: Any = context._jsc  # pyright: ignore[reportPrivateUsage]
    try:
        return java.sc().getExecutorMemoryStatus().size() - 1  # the driver is one of them
    except (Py4JError, ConnectionError, AttributeError):
        return 0


def _cancel(context: "SparkContext") -> None:
    from py4j.protocol import Py4JError

    try:
        context.cancelAllJobs()
    except (Py4JError, ConnectionError):
        return  # it has ended by itself


def _gist(problem: BaseException) -> str:
    """The first line of an error that says something about its cause."""
    from py4j.protocol import Py4JJavaError

    text = str(problem)
    if isinstance(problem, Py4JJavaError):
        cause = problem.java_exception
        while cause.getCause() is not None:
            cause = cause.getCause()
        text = str(cause.toString())
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0].rstrip(".") + "." if lines else f"{type(problem).__name__}."
