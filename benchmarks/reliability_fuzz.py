"""What commands do with what nobody meant to give them: damaged files, JSON without end, plugins that fail.

A part of benchmarks/reliability.py: ``fuzz_inputs`` gives how many commands were tried and, a sentence each, which of
them ended otherwise than well or with one sentence. Each runs in a process of its own, forked from this one, which has
loaded everything: a try takes about 0.1 s.
"""

import importlib
import os
import pkgutil
import random
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import drretail as package
from drretail.cli.entry import main as drretail
from drretail.env.folder import write_world
from drretail.env.manifest import WorldRows
from drretail.env.world import OrderRow, default_pool
from drretail.records.base import canonical_json
from drretail.records.query import Query
from drretail.records.shop import Product

SECONDS = 60
"""More than any of these commands takes: what is not over by then hangs."""
TOLD_BADLY = ("Traceback", "panicked at", "drretail itself failed", "Exception ignored", "Warning:")
USER = "AE" + "X" * 26
DAY = 86_400_000

NASTY: Mapping[str, bytes] = {
    "nothing": b"",
    "deep arrays": b"[" * 100_000,
    "deep arrays that end": b"[" * 100_000 + b"]" * 100_000,
    "deep objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "nested 900 deep": b'{"format":1,"a":' + b"[" * 900 + b"]" * 900 + b"}",
    "a long number": b'{"format":1,"a":' + b"7" * 5000 + b"}",
    "NaN": b'{"format":1,"a":NaN,"b":1e999}',
    "null": b"null",
    "an array": b"[1,2]",
    "no UTF-8": b'{"format":1,"a":"\xff\xfe"}',
    "half a character": b'{"format":1,"a":"\\ud800"}',
    "NULs": b"\x00" * 100,
    "a long name": b'{"format":1,"' + b"x" * 100_000 + b'":1}',
}
TOML: Mapping[str, bytes] = {
    "deep arrays": b"a = " + b"[" * 100_000,
    "a long number": b"max_tokens = " + b"7" * 5000,
    "no UTF-8": b"model = '\xff'",
    "no TOML": b"model = ",
    "a long name": b"x" * 100_000 + b" = 1",
    "an escape": b'"\\u001b[31mred" = 1',
}
AGENT = """
from drretail import Agent
async def answer(task, session, models, limits):
    {answer}
class Klass: pass
{top}
"""
METRIC = """
class Broken:
    name, version, needs_judge, is_opinion = "broken", 1, False, False
    def __init__(self): {init}
    async def judge(self, subject, judge_session): {judge}
    def prompt_hashes(self): return frozenset({{""}})
    def values(self, subject, verdicts, rules): {values}
    def variants(self): return ("broken",)
    def pooled(self, variant, report): raise KeyError(variant)
    def pooled_variants(self): return frozenset()
METRIC = Broken()
"""
TOOL = """
from drretail import Tool, Agent
from drretail.tools.tool import ToolResult
def own(session) -> ToolResult:
    '''Fails.

    Returns:
        Nothing.
    '''
    {body}
OWN = Tool("own", own, "read")
"""
PROVIDER = """
def MODEL(): {open}
class Klass: pass
"""
FAULTS = ("raise ValueError('away')", "raise RecursionError", "raise SystemExit(3)", "return 7", "return None")


@dataclass
class Fuzz:
    """A shop, queries and a judged experiment to break, made once in ``folder``."""

    folder: Path
    draw: random.Random
    tried: int = 0
    lost: list[str] = field(default_factory=list)

    def make(self) -> None:
        """The things to break, under start/; loads all of drretail, which every command then finds loaded."""
        for module in pkgutil.walk_packages([str(Path(package.__file__).parent)], "drretail."):
            if "__main__" not in module.name and "spark" not in module.name and "servers" not in module.name:
                importlib.import_module(module.name)
        start = self.folder / "start"
        start.mkdir(parents=True)
        make_world(start / "w")
        query = Query(query_id="q1", user_id=USER, text="Which bird feeder suits me, under $30?", source="fuzz")
        (start / "q.jsonl").write_text(f"{canonical_json(query.model_dump(mode='json'))}\n", encoding="utf-8")
        for arguments in (RUN, SCORE):
            code, output = run(start, self.folder / "said", arguments)
            assert code == 0, output

    def attempt(self, damage: str, change: Callable[[Path], object], *commands: Sequence[str]) -> None:
        """Runs the commands in a copy of what was made, changed; counts them, and keeps which were told badly."""
        place = self.folder / "place"
        for arguments in commands:
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(self.folder / "start", place)
            change(place)
            code, output = run(place, self.folder / "said", arguments)
            self.tried += 1
            if code not in (0, 1, 2, 3) or any(literal in output for literal in TOLD_BADLY) or len(output) > 20_000:
                line = (output.strip().splitlines() or [""])[-1]
                self.lost.append(f"{damage}; drretail {' '.join(arguments)[:80]}: {code}: {line[:300]}")


RUN = ("run", "--world", "w", "--queries", "q.jsonl", "--agent", "react", "--no-floors", "--to", "exp", "--quiet")
SCORE = ("score", "exp", "--metrics", "faithfulness,checks", "--quiet")
REPORT = ("report", "exp", "--format", "text")
OF_WORLD = (
    ("world", "info", "w"),
    ("world", "check", "w"),
    ("world", "copy", "w", "copied", "--quiet"),
    ("tools", "product_catalog_search", "--world", "w", "--args", '{"query":"bird feeder","price_max":50}'),
    ("tools", "get_user_statistics", "--world", "w", "--args", f'{{"user_id":"{USER}"}}'),
    (*RUN[:-3], "--to", "new", "--quiet"),
)
OF_EXPERIMENT = (REPORT, SCORE, RUN, ("compare", "exp", "react@offline-shopper", "react@offline-shopper"))


def fuzz_inputs(folder: Path, *, quick: bool = True, seed: int = 1) -> tuple[int, list[str]]:
    """How many commands were tried, and a sentence for each that ended otherwise than well or in one sentence."""
    fuzz = Fuzz(folder, random.Random(seed))
    fuzz.make()
    for part in (damaged_files, given_files, failing_plugins, odd_arguments):
        part(fuzz, quick)
    shutil.rmtree(folder, ignore_errors=True)
    return fuzz.tried, fuzz.lost


def damaged_files(fuzz: Fuzz, quick: bool) -> None:
    """Each file of a world and of an experiment with flipped bits, cut, gone, and full of something else."""
    start = fuzz.folder / "start"
    for root, commands in (("w", OF_WORLD), ("exp", OF_EXPERIMENT)):
        for path in sorted((start / root).rglob("*")):
            if path.is_file() and path.stat().st_size:
                name = str(path.relative_to(start))
                for damage, change in damages(fuzz.draw, path, quick):
                    chosen = fuzz.draw.sample(commands, 1 if quick else len(commands))
                    fuzz.attempt(f"{name}: {damage}", lambda place, name=name, it=change: it(place / name), *chosen)


def damages(draw: random.Random, path: Path, quick: bool) -> Iterator[tuple[str, Callable[[Path], object]]]:
    data = path.read_bytes()
    for _ in range(1 if quick else 8):
        at, bit = draw.randrange(len(data)), draw.randrange(8)
        flipped = data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]
        yield f"bit {bit} of byte {at} flipped", lambda it, flipped=flipped: it.write_bytes(flipped)
    yield "cut", lambda it: it.write_bytes(data[: len(data) // 2])
    yield "gone", Path.unlink
    if path.suffix in (".json", ".jsonl"):
        for damage in draw.sample(sorted(NASTY), 2 if quick else len(NASTY)):
            yield damage, lambda it, damage=damage: it.write_bytes(NASTY[damage])


def given_files(fuzz: Fuzz, quick: bool) -> None:
    """Queries, settings, scripts, rows and arguments that hold something else."""
    ingest = ("ingest", "raw", "--world", "made", "--category", "Pet_Supplies", "--quiet")
    for damage, content in NASTY.items():
        row = content.replace(b'{"format":1,', b'{"parent_asin":"B1","title":"x",') + b"\n"
        fuzz.attempt(f"queries: {damage}", writing("q.jsonl", content), ("queries", "check", "q.jsonl", "--world", "w"))
        fuzz.attempt(f"a script: {damage}", writing("s.json", content), (*RUN, "--model", "scripted:s.json"))
        fuzz.attempt(
            f"pages: {damage}", writing("p.jsonl", content), (*RUN[:-3], "--to", "n", "--web", "sandbox:p.jsonl")
        )
        if len(content) < 100_000:
            arguments = os.fsdecode(content).replace("\x00", "")
            fuzz.attempt(f"--args: {damage}", nothing, ("tools", "calculator", "--world", "w", "--args", arguments))
        if not quick:
            fuzz.attempt(f"rows: {damage}", writing("raw/Pet_Supplies.jsonl", row * 3), ingest)
    for damage, content in TOML.items():
        fuzz.attempt(f"settings: {damage}", writing("drretail.toml", content), OF_WORLD[2])
        fuzz.attempt(f"a script: {damage}", writing("s.toml", content), (*RUN, "--model", "scripted:s.toml"))


def failing_plugins(fuzz: Fuzz, quick: bool) -> None:
    """Agents, metrics, tools and models of one's own that fail where they can."""
    del quick
    run_mine = (*RUN[:-3], "--to", "new", "--quiet", "--agent")
    for fault in FAULTS:
        agent = AGENT.format(answer=fault, top="AGENT = Agent(answer, roles=())")
        fuzz.attempt(f"an agent: {fault}", writing("mine.py", agent.encode()), (*run_mine, "mine:AGENT"))
        for at in ("init", "judge", "values"):
            metric = METRIC.format(**{"init": "pass", "judge": "pass", "values": "return []", at: fault})
            score = ("score", "exp", "--metrics", "mine:METRIC")
            fuzz.attempt(f"a metric in {at}: {fault}", writing("mine.py", metric.encode()), score, REPORT)
        tool = TOOL.format(body=fault).encode()
        fuzz.attempt(f"a tool: {fault}", writing("mine.py", tool), ("tools", "mine:OWN", "--world", "w"))
        provider = PROVIDER.format(open=fault).encode()
        fuzz.attempt(f"a model: {fault}", writing("mine.py", provider), (*RUN, "--model", "mine:MODEL:x"))
    for top in (*FAULTS[:3], "1/0", "AGENT = Agent(answer)", "AGENT = Klass", "AGENT = 7", "import nowhere", "x = = 1"):
        agent = AGENT.format(answer="return 'x'", top=top).encode()
        fuzz.attempt(f"a module: {top}", writing("mine.py", agent), (*run_mine, "mine:AGENT"))
    for place in ("mine:AGENT", "mine:Klass", "mine:nothing", "nowhere:AGENT", "mine:"):
        agent = AGENT.format(answer="return 'x'", top="AGENT = 7").encode()
        commands = (
            ("score", "exp", "--metrics", place),
            ("tools", place, "--world", "w"),
            (*RUN, "--model", f"{place}:x"),
            (*RUN[:-3], "--to", "new", "--web", place),
        )
        fuzz.attempt(f"the place {place}", writing("mine.py", agent), *commands)


def odd_arguments(fuzz: Fuzz, quick: bool) -> None:
    """Names that nothing goes by, long and with what a terminal would obey."""
    names = ("x" * 100_000, "\x1b[31mred\x1b[2J", "\udcff", "é" * 1000, "a\nb", "", "../../x", ".")
    for name in names[: 3 if quick else None]:
        for arguments in (
            (name,),
            ("tools", name),
            (*RUN, "--agent", name),
            (*RUN, "--model", name),
            ("score", "exp", "--metrics", name),
            ("score", "exp", "--judge", name),
            ("report", name),
            ("world", "check", name),
            ("compare", "exp", name, name),
            ("ask", name, "--world", "w", "--user", name),
            ("ingest", name, "--world", "made"),
        ):
            fuzz.attempt(f"the name {name[:20]!r}", nothing, arguments)


def nothing(place: Path) -> None:
    """Changes nothing."""


def writing(name: str, content: bytes) -> Callable[[Path], object]:
    def write(place: Path) -> None:
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_bytes(content)

    return write


def make_world(folder: Path) -> None:
    """Four products, two users, an order that is held out."""
    titles = ("Tube Bird Feeder, 18 inch", "Hopper Bird Feeder, Cedar", "Window Bird Feeder", "Bird Bath")
    products = [
        Product(
            product_id=f"B0TEST000{number}",
            title=f"Tanagrove {title}",
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
        OrderRow(f"000000000{n}", user, f"B0TEST000{n}", 1_672_531_200_000 + n * DAY)
        for n, user in ((1, USER), (2, USER), (3, "AF" + "Y" * 26))
    ]
    write_world(folder, WorldRows(products, orders, seed="42", pool=default_pool()))


def run(place: Path, output: Path, arguments: Sequence[str]) -> tuple[int, str]:
    """The exit code of a command in a process forked from this one, and all that it printed; -1 where it hangs."""
    child = os.fork()
    if not child:
        _become(place, output, arguments)
    deadline = time.monotonic() + SECONDS
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return -1, "it hangs"
        time.sleep(0.005)
    return os.waitstatus_to_exitcode(ended[1]), output.read_text(encoding="utf-8", errors="replace")


def _become(place: Path, output: Path, arguments: Sequence[str]) -> None:
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
        drretail()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001 -- this is what is looked for
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)
