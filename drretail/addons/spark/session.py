"""A Spark session for one selection, and its failures as one sentence each."""

import logging
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread, current_thread, main_thread
from typing import TYPE_CHECKING, Any

from drretail.api.doctor import Sign
from drretail.errors import UserError, install_line

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession


OLDEST_JAVA = 17
# How long ``java -version`` may take.
SECONDS = 20


def find_java(environ: Mapping[str, str] = os.environ) -> Path | None:
    """The java of JAVA_HOME if that is set, otherwise the first on the PATH; None if there is none."""
    home = environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home) / "bin") if home else environ.get("PATH", ""))
    return Path(java) if java else None


def java_version(java: Path) -> int:
    """The major version: 17 for "17.0.15", 8 for "1.8.0"; 0 if the program does not start or names no version."""
    try:
        version = subprocess.run(  # noqa: S603 -- the user's own java, as Spark starts it
            [java, "-version"], capture_output=True, text=True, timeout=SECONDS, check=False
        ).stderr
    except (OSError, subprocess.SubprocessError):
        return 0
    match = re.search(r'version "(?:1\.)?(\d+)', version)
    return int(match[1]) if match else 0


def examine_java(environ: Mapping[str, str]) -> Sign:
    """What ``doctor`` says of the Java that Spark would start."""
    java = find_java(environ)
    version = 0 if java is None else java_version(java)
    if java is not None and version >= OLDEST_JAVA:
        return Sign(what="Java", state="ok", found=f"{version} ({java})")
    version_text = f"{version} ({java}), which is too old" if version else f"{java}, which does not start"
    mend = f"install a JDK of version {OLDEST_JAVA} or later, or set JAVA_HOME to one"
    return Sign(what="Java", state="absent", found="none" if java is None else version_text, mend=mend)


LOCAL = "local[*]"
CONNECT_SECONDS = 10
PATIENCE_SECONDS = 60
"""How long a cluster may be without a worker for this application, at the start or later."""
_LOCAL = re.compile(r"local(\[(\d+|\*)\])?")
_CLUSTER = re.compile(r"spark://[^/\s]+:\d+")
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_LOCAL_MEMORY_MB = 4_000
# Bytes of input per partition. With less, a task spends most of its time on starting up.
_PARTITION_BYTES = 32 << 20
_LOG_SETTINGS = Path(__file__).with_name("log.properties")


@contextmanager
def spark_session(
    master: str, work: Path, input_bytes: int, *, patience: float = PATIENCE_SECONDS
) -> Generator["SparkSession"]:
    """A session at a master ("local[2]", "spark://host:7077"), stopped at the end. Its log is ``work``/spark.log.

    Call ``check_installed`` first. Raises UserError if the master does not answer, or if there is no worker for
    ``patience`` seconds. An error of Spark inside the block becomes a UserError too.
    """
    check_master(master)
    # These repeat on stderr, with a traceback, what the exceptions say; Py4J does on the root logger, also of Ctrl-C.
    logging.getLogger("SQLQueryContextLogger").disabled = True
    logging.getLogger().addFilter(_is_not_of_py4j)
    with spark_errors(master):
        from pyspark import SparkConf, SparkContext
        from pyspark.sql import SparkSession

        if SparkSession.getActiveSession() is not None:
            raise UserError("A Spark session is open in this process already: stop it first.")
        conf = SparkConf(loadDefaults=False).setMaster(master).setAppName("drretail ingest")
        conf.setAll([*_settings(master, work, input_bytes).items()])
        with _interrupted_afterwards():
            SparkContext._ensure_initialized(conf=conf)  # pyright: ignore[reportPrivateUsage]  # as the next line does
        session = SparkSession.builder.config(conf=conf).getOrCreate()
    try:
        with _watched(session.sparkContext, master, patience), spark_errors(master):
            yield session
    finally:
        with spark_errors(master):
            session.stop()


def check_installed() -> None:
    """Raises UserError if pyspark, or a Java that it can use, is missing."""
    try:
        import pyspark  # noqa: F401  # pyright: ignore[reportUnusedImport]  # whether it is there
    except ImportError:
        raise UserError(f"The Spark engine needs pyspark: {install_line('spark')}.") from None
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


def check_master(master: str) -> None:
    """Raises UserError if the address is malformed or the cluster does not answer."""
    if _LOCAL.fullmatch(master):
        return
    if not _CLUSTER.fullmatch(master):
        raise UserError(f"--engine spark:{master} is unknown: write local[N] or spark://host:port.")
    problems: list[str] = []
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()
        except OSError as problem:
            problems.append(f"{address}: {problem.strerror or problem}")
        else:
            return
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


@contextmanager
def _interrupted_afterwards() -> Generator[None]:
    """Holds Ctrl-C back until the block ends: a Java that is left alone while it starts would never end."""
    if current_thread() is not main_thread():  # which alone hears signals
        yield
        return
    presses = list[int]()
    before = signal.signal(signal.SIGINT, lambda number, _: presses.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if presses:
            signal.raise_signal(signal.SIGINT)


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    return record.module != "java_gateway"


def _settings(master: str, work: Path, input_bytes: int) -> dict[str, str]:
    """The settings on which the result or this machine depends; conf/spark-defaults.conf has the cluster's others."""
    log = work / "log4j2.properties"
    log.write_text(_LOG_SETTINGS.read_text(encoding="utf-8").format(file=work / "spark.log"), encoding="utf-8")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # As a URI, since a path may contain spaces
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={log.resolve().as_uri()}",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.ansi.enabled": "true",
        "spark.sql.caseSensitive": "true",
        "spark.sql.shuffle.partitions": str(min(max(input_bytes // _PARTITION_BYTES, 4), 2_000)),
    }
    if is_local(master):
        half = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2_000_000
        settings["spark.driver.memory"] = f"{min(_LOCAL_MEMORY_MB, half)}m"
    if is_local(master) or all(address.rpartition(":")[0] in _LOOPBACK for address in master[8:].split(",")):
        # By default Spark uses this machine's name, which its own network may not resolve.
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    return settings


@contextmanager
def _watched(context: "SparkContext", master: str, patience: float) -> Generator[None]:
    """Cancels the jobs if the cluster has no worker left. Spark itself would wait for one for ever."""
    from py4j.protocol import Py4JError

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
    lost, ended = Event(), Event()

    def look_each_second() -> None:
        seen = time.monotonic()
        while not ended.wait(1):
            if _workers(context) > 0:
                seen = time.monotonic()
            elif time.monotonic() - seen > patience:
                lost.set()
                with suppress(Py4JError, ConnectionError):  # it has ended by itself
                    context.cancelAllJobs()
                return

    watch = Thread(target=look_each_second, daemon=True, name="spark-workers")
    watch.start()
    try:
        yield
    except UserError as problem:
        if not lost.is_set():
            raise
        raise UserError(f"All workers of {master} were lost: start them again and repeat the command.") from problem
    finally:
        ended.set()
        watch.join()


def _workers(context: "SparkContext") -> int:
    """How many executors this application has; 0 once the context has stopped."""
    from py4j.protocol import Py4JError

    # There is no public way to ask; it is None once the context has stopped.
    java: Any = context._jsc  # pyright: ignore[reportPrivateUsage]
    try:
        return java.sc().getExecutorMemoryStatus().size() - 1  # the driver is one of them
    except (Py4JError, ConnectionError, AttributeError):
        return 0


def _gist(problem: BaseException) -> str:
    """The first line of an error, or of its innermost Java cause."""
    from py4j.protocol import Py4JJavaError

    text = str(problem)
    if isinstance(problem, Py4JJavaError):
        cause = problem.java_exception
        while cause.getCause() is not None:
            cause = cause.getCause()
        text = str(cause.toString())
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0].rstrip(".") + "." if lines else f"{type(problem).__name__}."
