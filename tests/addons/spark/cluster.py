"""A cluster of Spark's on this machine, and odd rows to read on it."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from drretail.data_ingest.synth import write_shop
from tests.data_ingest.raw_rows import BEFORE_2019, START, product_row, review_row, reviews_of, write_array, write_lines

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
            _end(daemon)


def _wait_for(log: Path, pattern: str, count: int) -> list[str]:
    deadline = time.monotonic() + START_SECONDS
    while len(found := re.findall(pattern, log.read_text(errors="replace"))) < count:
        if time.monotonic() > deadline:
            raise TimeoutError(f"no {pattern!r} in {log}:\n{log.read_text(errors='replace')[-2000:]}")
        time.sleep(0.1)
    return found


def _end(daemon: "subprocess.Popen[bytes]") -> None:
    """Ends a daemon and whatever it started."""
    for attempt in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(daemon.pid, attempt)
            daemon.wait(15)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue


ODD = "Baby_Products"
"""Its files in odd/ have what no two readers of JSON read alike: moments, users, ids, encodings, cut lines."""
ODD_IDS = [f"B{number}" for number in range(1, 14)] + ["12", "#W2378156"]


def write_every_dialect(folder: Path) -> Path:
    """Lines, packed lines, the Hugging Face form, arrays, a mapping, many files; quirks, odd rows, and cut ends."""
    categories = ["Home_and_Kitchen", "Patio_Lawn_and_Garden", "Pet_Supplies", "Office_Products"]
    write_shop(folder / "shop", products=80, reviews=1200, categories=categories)
    shutil.copytree(Path(__file__).with_name("odd"), folder, dirs_exist_ok=True)
    write_lines(folder / f"{ODD}.more.jsonl", [row for product_id in ODD_IDS for row in reviews_of(product_id, 2)])
    beauty = folder / "All_Beauty"
    odd = [review_row("A1", "B22", None), review_row("A1", "B20", 7_386_000_000_000), review_row("null", "B20", START)]
    write_array(beauty / "reviews.jsonl", [*reviews_of("B20"), *reviews_of("a:b21"), *odd])
    write_lines(beauty / "more [1].jsonl", [review_row("A9", "B20", BEFORE_2019), review_row("A9", "none", START)])
    titles = {"B20": {"title": "Comb"}, "a:b21": {"title": "Brush", "average_rating": 4.5}, "B22": {"title": None}}
    (beauty / "meta_data.json").write_text(json.dumps(titles))
    # The same product poor and rich, in a category of its own and in another's.
    write_lines(folder / "meta_Pet_Supplies.more.jsonl.gz", [product_row("B20"), product_row("B30", price=None)])
    write_lines(folder / "Pet_Supplies.more.jsonl.gz", reviews_of("B30", 6))
    write_array(folder / "Appliances.jsonl", [*reviews_of("B40"), review_row("A1", "B40", START)])
    write_lines(folder / "meta_Appliances.jsonl", [product_row("B40"), product_row("B40", title="Again")])
    return folder
