"""A real Spark cluster on this machine, out of the files of the pyspark package: one master and some workers."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

START_SECONDS = 90
DEPLOY = "org.apache.spark.deploy"


@dataclass
class Cluster:
    """A standalone cluster; ``master`` is its address for --engine spark:MASTER."""

    folder: Path
    master: str = ""
    daemons: list["subprocess.Popen[bytes]"] = field(default_factory=list["subprocess.Popen[bytes]"])

    def workers_used(self) -> int:
        """How many workers have started an executor so far."""
        logs = [self.folder / f"worker-{number}.log" for number in range(len(self.daemons) - 1)]
        return sum("Asked to launch executor" in log.read_text(errors="replace") for log in logs)

    def kill_workers(self) -> None:
        for daemon in self.daemons[1:]:
            _end(daemon, signal.SIGKILL)

    def start(self, name: str, command: Sequence[str]) -> Path:
        import pyspark

        home = Path(pyspark.__file__).parent
        log = self.folder / f"{name}.log"
        environment = {
            **os.environ,
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
            # Executors need no Python; one that can't start shows that none is tried.
            "PYSPARK_PYTHON": "/nonexistent/python",
        }
        with log.open("wb") as out:
            # In a session of its own, so that the executors that a worker has started end with it.
            daemon = subprocess.Popen(
                [home / "bin" / "spark-class", *command, "--webui-port", "0"],
                stdout=out,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,
            )
        self.daemons.append(daemon)
        return log


@contextmanager
def running_cluster(folder: Path, workers: int) -> Generator[Cluster]:
    """A cluster whose logs and work lie in ``folder``; none of its processes is left at the end."""
    cluster = Cluster(folder)
    try:
        log = cluster.start("master", [f"{DEPLOY}.master.Master", "--host", "127.0.0.1", "--port", "0"])
        cluster.master = _wait_for(log, r"Starting Spark master at (spark://\S+)", 1)[0]
        for number in range(workers):
            size = ["--cores", "1", "--memory", "1200m", "--work-dir", str(folder / f"worker-{number}")]
            worker = [f"{DEPLOY}.worker.Worker", "--host", "127.0.0.1", *size, cluster.master]
            cluster.start(f"worker-{number}", worker)
        _wait_for(log, r"Registering worker (\S+)", workers)
        yield cluster
    finally:
        for daemon in reversed(cluster.daemons):
            _end(daemon, signal.SIGTERM)


def _wait_for(log: Path, pattern: str, count: int) -> list[str]:
    deadline = time.monotonic() + START_SECONDS
    while len(found := re.findall(pattern, log.read_text(errors="replace"))) < count:
        if time.monotonic() > deadline:
            raise TimeoutError(f"no {pattern!r} in {log}:\n{log.read_text(errors='replace')[-2000:]}")
        time.sleep(0.1)
    return found


def _end(daemon: "subprocess.Popen[bytes]", how: signal.Signals) -> None:
    """Ends a daemon and whatever it started."""
    for attempt in (how, signal.SIGKILL):
        try:
            os.killpg(daemon.pid, attempt)
            daemon.wait(15)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue
