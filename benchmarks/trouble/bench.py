"""A shop, an experiment and files to break, and commands over copies of them.

Each command runs in a process forked from this one, which has loaded all of drretail: a try takes about 0.1 s. A row
that starts threads has to come after all rows that fork.
"""

import importlib
import json
import os
import pkgutil
import random
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from typing import Literal, TypeVar

import drretail as package
from drretail.cli.entry import main as drretail
from drretail.env.folder import write_world
from drretail.env.manifest import WorldRows
from drretail.env.world import OrderRow, default_pool
from drretail.errors import UserError
from drretail.records.base import canonical_json
from drretail.records.query import Query
from drretail.records.shop import Product

MAIN = "from drretail.cli.entry import main; main()"
SECONDS = 120
"""More than any command here takes: what is not over by then hangs."""
GOOD_CODES = (0, 2, 3)
"""Done, a sentence that says what to do, done with findings. Exit code 1 is drretail's own fault."""
TOLD_BADLY = (
    "Traceback",
    "panicked at",
    "drretail itself failed",
    "Exception ignored",
    "nWarning:",
    "eWarning:",
    "rWarning:",
)
USER = "AE" + "X" * 26
DAY = 86_400_000
KILLED = -signal.SIGKILL

RUN = ("run", "--world", "w", "--queries", "q.jsonl", "--agent", "react", "--no-floors", "--to", "exp", "--quiet")
SCORE = ("score", "exp", "--metrics", "faithfulness,checks", "--quiet")
REPORT = ("report", "exp", "--json")
TALK = ("run", "--world", "w", "--queries", "talk.jsonl", "--no-floors", "--quiet", "--to", "talked")
TALKING = (*TALK, "--agent", "talker:answer")
IMPORT = ("import", "chat", "log.jsonl", "--world", "w", "--to", "imported", "--quiet")
INGEST = ("ingest", "raw", "--world", "shop", "--min-interactions", "2", "--parallel", "1", "--quiet")

TALKER = """
import os, sys
from pathlib import Path
def answer(question, history, user, toolkit):
    fault = Path.cwd().parent / "fault"  # what it reads or names beside it is its code
    if fault.exists() and fault.read_text().partition(": ")[0] == question:
        return eval(fault.read_text().partition(": ")[2])
    name = toolkit.call("get_user_profile", {"user_id": user}).value["first_name"]
    toolkit.call("update_user_profile", {"user_id": user, "first_name": f"{name}{len(history)}"})
    hit = toolkit.call("product_catalog_search", {"query": "bird feeder"}).value["hits"][0]["evidence"]
    before = sum(len(message["content"]) for message in history)
    return f"{name} asks {question!r} after {before} letters: [{hit}].\\n\\n```picks\\n{hit} x 1\\n```"
"""
"""An agent whose answers show what it is told of the turns before, and what its session kept of them. In the turn that
the file ``fault`` names it gives what stands there.
"""
TURNS = ("Which bird feeder suits me?", "Is there a cheaper one?", "Then two of it.", "No, the one before.")
T = TypeVar("T")
Fault = Literal["lost", "leaked", "wrong"]


@dataclass
class Row:
    """One line of the table: what was done, how often, and a sentence for each time that it ended badly."""

    name: str
    what: str
    tried: int = 0
    faults: list[tuple[Fault, str]] = field(default_factory=list)

    def add(self, kind: Fault, sentence: str) -> None:
        """Keeps the sentence, and prints it at once."""
        self.faults.append((kind, sentence))
        print(f"{self.name}: {kind}: {sentence}", file=sys.stderr, flush=True)

    def count(self, kind: Fault) -> int:
        return sum(fault == kind for fault, _ in self.faults)


@dataclass(frozen=True)
class Ended:
    """How a command ended, and all that it printed."""

    code: int
    output: str

    @property
    def problem(self) -> str | None:
        """Why a person would call this end a bug; None where it ended well or in a sentence."""
        if self.code not in GOOD_CODES or any(words in self.output for words in TOLD_BADLY):
            return f"exit code {self.code}: {(self.output.strip().splitlines() or [''])[-1][:300]}"
        return "no sentence: 20,000 characters" if self.code == 2 and len(self.output) > 20_000 else None


class Bench:
    """What is broken, made once under ``start``."""

    def __init__(self, folder: Path, *, quick: bool, seed: int) -> None:
        self.folder, self.quick, self.draw = folder, quick, random.Random(seed)
        self.start = folder / "start"
        load_all()
        self.start.mkdir()
        make_world(self.start / "w")
        query = Query(query_id="q1", user_id=USER, text="Which bird feeder suits me, under $30?", source="benchmark")
        (self.start / "q.jsonl").write_text(f"{canonical_json(query.model_dump(mode='json'))}\n", "utf-8")
        (self.start / "talk.jsonl").write_text("".join(turns_of("talk", *TURNS)), "utf-8")
        (self.start / "talker.py").write_text(TALKER, "utf-8")
        write_log(self.start / "log.jsonl")
        for arguments in (
            RUN,
            SCORE,
            TALKING,
            IMPORT,
            ("synth", "--to", "raw", "--products", "300", "--reviews", "6000", "--quiet"),
            INGEST,
            ("queries", "generate", "--world", "shop", "--n", "1", "--to", "asked.jsonl", "--quiet"),
        ):
            ended = run(self.start, arguments)
            assert ended.code in (0, 3), ended.output

    def tries(self, few: int, many: int) -> int:
        return few if self.quick else many

    def sample(self, items: Iterable[T], few: int, many: int) -> list[T]:
        """As many of the items as this size of the benchmark tries, in their order."""
        listed = list(items)
        wanted = min(len(listed), self.tries(few, many))
        return [listed[index] for index in sorted(self.draw.sample(range(len(listed)), wanted))]

    @contextmanager
    def place(self) -> Generator[Path]:
        """A copy of everything."""
        folder = Path(mkdtemp(dir=self.folder))
        try:
            shutil.copytree(self.start, folder / "copy")
            yield folder / "copy"
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def attempt(self, row: Row, trouble: str, change: Callable[[Path], object], *commands: Sequence[str]) -> None:
        """Runs each command in a copy that is changed; a bug goes into the row."""
        for arguments in commands:
            with self.place() as place:
                change(place)
                row.tried += 1
                if problem := run(place, arguments).problem:
                    row.add("wrong", f"{trouble}; drretail {' '.join(arguments)[:80]!r}: {problem}")


def load_all() -> None:
    """Imports all of drretail that needs no service, which a forked command then finds loaded."""
    for module in pkgutil.walk_packages([str(Path(package.__file__).parent)], "drretail."):
        if not any(word in module.name for word in ("__main__", "spark", "servers")):
            with suppress(ImportError, UserError):  # of an extra that is not installed
                importlib.import_module(module.name)


def make_world(folder: Path, said: str = "") -> None:
    """Four products, two users and an order that is held out; ``said`` stands in titles and descriptions."""
    titles = ("Tube Bird Feeder, 18 inch", "Hopper Bird Feeder, Cedar", "Window Bird Feeder", "Bird Bath")
    products = [
        Product(
            product_id=f"B0TEST000{number}",
            title=f"Tanagrove {title} {said}".strip(),
            description=(said,) if said else (),
            price=None if number == 3 else 14.5 + 10 * number,
            average_rating=4.5,
            rating_number=100,
            store="Tanagrove",
            categories=("Patio, Lawn & Garden", "Bird Feeders"),
            category="Patio_Lawn_and_Garden",
        )
        for number, title in enumerate(titles, 1)
    ]
    orders = [
        OrderRow(f"000000000{number}", user, f"B0TEST000{number}", 1_672_531_200_000 + number * DAY)
        for number, user in ((1, USER), (2, USER), (3, "AF" + "Y" * 26))
    ]
    write_world(folder, WorldRows(products, orders, seed="42", pool=default_pool()))


def turns_of(name: str, *texts: str) -> Iterator[str]:
    """The lines of a conversation."""
    for number, text in enumerate(texts, 1):
        after = f"{name}-{number - 1}" if number > 1 else None
        query = Query(query_id=f"{name}-{number}", user_id=USER, text=text, after=after, source="benchmark")
        yield f"{canonical_json(query.model_dump(mode='json'))}\n"


def write_log(path: Path, said: str = "") -> None:
    """Two conversations of a shop's assistant; ``said`` stands in an answer and in a user's name."""
    rows = (
        {
            "messages": [
                {"role": "user", "content": "What does the Tanagrove Tube Bird Feeder cost?"},
                {"role": "assistant", "content": f"The Tanagrove Tube Bird Feeder costs $24.50. {said}"},
            ],
            "user": f"u{number}{said}",
            "conversation": f"c{number}",
        }
        for number in (1, 2)
    )
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")


def run(
    place: Path,
    arguments: Sequence[str],
    prepare: Callable[[], object] | None = None,
    disturb: Callable[[int], object] | None = None,
) -> Ended:
    """A command in a process of its own, in ``place``.

    ``prepare`` is called in that process before it starts, ``disturb`` in this one with the process's number.
    """
    output = Path(gettempdir()) / f"drretail-said-{os.getpid()}"  # not where a disk may be full
    child = os.fork()
    if not child:
        _become(place, output, arguments, prepare)
    if disturb is not None:
        disturb(child)
    deadline = time.monotonic() + SECONDS
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return Ended(-1, "it hangs")
        time.sleep(0.005)
    said = output.read_text("utf-8", errors="replace") if output.exists() else ""
    return Ended(os.waitstatus_to_exitcode(ended[1]), said)


def _become(place: Path, output: Path, arguments: Sequence[str], prepare: Callable[[], object] | None) -> None:
    """Turns this process into the command; never returns."""
    code = 97
    try:
        os.chdir(place)
        os.environ |= {"HOME": str(place), "COLUMNS": "120", "DRRETAIL_CACHE_DIR": str(place / "cache")}
        descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(descriptor, 1)
        os.dup2(descriptor, 2)
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123
        sys.argv = ["drretail", *arguments]
        if prepare is not None:
            prepare()
        drretail()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001 -- this is what is looked for
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError):  # a closed pipe
                stream.flush()
        os._exit(code)
