"""What commands do with files that nobody meant to give them.

Damaged files of worlds, experiments and logs; files that unpack to a gigabyte; tables of a million rows; gold, journals
and versions that belong elsewhere; agents, metrics, tools and models of one's own that fail; names that nothing has.
"""

import csv
import gzip
import io
import json
import os
import random
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from .bench import IMPORT, INGEST, REPORT, RUN, SCORE, TALKING, USER, Bench, Row, make_world, run

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

RUN_NEW = (*RUN[:-3], "--to", "new", "--quiet")
COMPARE = ("compare", "exp", "react@offline-shopper", "react@offline-shopper")
VERIFY = ("verify", "exp")
VERIFY_TALKED = ("verify", "talked")
READERS = {
    "w": (
        ("world", "info", "w"),
        ("world", "check", "w"),
        ("world", "copy", "w", "copied", "--quiet"),
        ("tools", "product_catalog_search", "--world", "w", "--args", '{"query":"bird feeder","price_max":50}'),
        ("tools", "get_user_statistics", "--world", "w", "--args", f'{{"user_id":"{USER}"}}'),
        RUN_NEW,
    ),
    "exp": (REPORT, SCORE, RUN, COMPARE, VERIFY, ("export", "exp", "--format", "chat", "--to", "out.jsonl")),
    "imported": (("report", "imported", "--json"), ("score", "imported", "--metrics", "checks")),
    "talked": (
        TALKING,
        ("report", "talked", "--json"),
        VERIFY_TALKED,
    ),
    "q.jsonl": (RUN_NEW, ("queries", "check", "q.jsonl", "--world", "w"), ("queries", "show", "q.jsonl")),
    "log.jsonl": ((*IMPORT[:-3], "--to", "again", "--quiet"),),
    "raw": ((*INGEST[:3], "anew", *INGEST[4:]),),
}
"""Commands by what they read."""

MEGABYTE = 1 << 20


def nothing(place: Path) -> None:
    """Changes nothing."""


def writing(name: str, content: bytes) -> Callable[[Path], object]:
    def write(place: Path) -> None:
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_bytes(content)

    return write


def damaged(bench: Bench) -> Row:
    """Each file that a command reads, with flipped bits, cut, gone, and full of something else."""
    row = Row("damaged files", "a file of a world, experiment, log or shop that is damaged, read by each command")
    for root, commands in READERS.items():
        files = [bench.start / root]
        if files[0].is_dir():
            files = [path for path in sorted(files[0].rglob("*")) if path.is_file() and path.stat().st_size]
        for path in bench.sample(files, 6, len(files)):
            name = str(path.relative_to(bench.start))
            for damage, change in damages(bench, path):
                chosen = bench.draw.sample(commands, 1 if bench.quick else len(commands))
                bench.attempt(row, f"{name}: {damage}", lambda place, name=name, it=change: it(place / name), *chosen)
    return row


def damages(bench: Bench, path: Path) -> Iterator[tuple[str, Callable[[Path], object]]]:
    data = path.read_bytes()
    for _ in range(bench.tries(1, 3)):
        at, bit = bench.draw.randrange(len(data)), bench.draw.randrange(8)
        flipped = data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]
        yield f"bit {bit} of byte {at} flipped", lambda it, flipped=flipped: it.write_bytes(flipped)
    yield "cut", lambda it: it.write_bytes(data[: len(data) // 2])
    yield "gone", Path.unlink
    if path.suffix in (".json", ".jsonl"):
        for damage in bench.sample(NASTY, 1, len(NASTY)):
            yield damage, lambda it, damage=damage: it.write_bytes(NASTY[damage])


def given(bench: Bench) -> Row:
    """Queries, settings, scripts, pages and arguments that hold something else."""
    row = Row("damaged inputs", "queries, logs, scripts, pages, settings and arguments that hold something else")
    for damage, content in NASTY.items():
        line = content.replace(b'{"format":1,', b'{"parent_asin":"B1","title":"x",') + b"\n"
        bench.attempt(row, f"a script: {damage}", writing("s.json", content), (*RUN_NEW, "--model", "scripted:s.json"))
        bench.attempt(row, f"pages: {damage}", writing("p.jsonl", content), (*RUN_NEW, "--web", "sandbox:p.jsonl"))
        bench.attempt(row, f"labels: {damage}", writing("l.jsonl", content), ("lab", "card", "exp", "l.jsonl"))
        bench.attempt(row, f"rows: {damage}", writing("raw/Pet_Supplies.jsonl", line * 3), READERS["raw"][0])
        if len(content) < 100_000:
            arguments = os.fsdecode(content).replace("\x00", "")
            command = ("tools", "calculator", "--world", "w", "--args", arguments)
            bench.attempt(row, f"--args: {damage}", nothing, command)
    for damage, content in TOML.items():
        bench.attempt(row, f"settings: {damage}", writing("drretail.toml", content), ("world", "info", "w"))
        bench.attempt(row, f"a script: {damage}", writing("s.toml", content), (*RUN_NEW, "--model", "scripted:s.toml"))
    return row


def bombs(bench: Bench) -> Row:
    """Small files that unpack to a gigabyte, and large ones that are just large."""
    row = Row("bombs, large tables", "files that unpack to a gigabyte, entities without end, tables of 10⁶ rows")
    import_of = ("import", "markdown", "given", "--to", "again", "--quiet")
    pages = gzip.compress(b" " * MEGABYTE, 9) * 1024
    for name, commands in {
        "p.jsonl.gz": ((*RUN_NEW, "--web", "sandbox:p.jsonl.gz"),),
        "log.jsonl.gz": (("import", "chat", "log.jsonl.gz", "--to", "again", "--quiet"),),
        "q.jsonl.gz": (("queries", "check", "q.jsonl.gz", "--world", "w"),),
        "exp/runs/bomb.run.gz": (REPORT,),
    }.items():
        bench.attempt(row, f"{name} of a gigabyte", writing(name, pages), *commands)
    bench.attempt(
        row, "a Word file of a gigabyte", writing("given/report.docx", _word(b" " * MEGABYTE, 1024)), import_of
    )
    laughs = b'<!DOCTYPE l [<!ENTITY a "ha">' + b"".join(
        b'<!ENTITY %c "%s">' % (98 + level, b"&%c;" % (97 + level) * 20) for level in range(9)
    )
    laughs += b"]><w:document>&j;</w:document>"
    bench.attempt(row, "a Word file of entities", writing("given/report.docx", _word(laughs, 1)), import_of)
    rows = bench.tries(20_000, 1_000_000)
    bench.attempt(
        row,
        f"a CSV of {rows:,} rows",
        lambda place: _table(place / "scores.csv", rows),
        ("compare", "scores.csv", "a", "b"),
    )
    bench.attempt(
        row,
        f"a log of {rows // 10:,} rows",
        lambda place: (place / "log.jsonl").write_bytes((place / "log.jsonl").read_bytes() * (rows // 20)),
        IMPORT,
    )
    for columns in ("a;b;c\n1;2;3\n", "system,query\na,q\n", "system,query,value\na,q,not a number\n", "\ufeff\n"):
        content = columns.encode()
        bench.attempt(
            row, f"columns {columns[:20]!r}", writing("scores.csv", content), ("compare", "scores.csv", "a", "b")
        )
    return row


def _word(document: bytes, times: int) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("word/document.xml", "w") as file:
        for _ in range(times):
            file.write(document)
    return held.getvalue()


def _table(path: Path, rows: int) -> None:
    draw = random.Random(1)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("system", "query", "repeat", "user", "value"))
        for number in range(rows):
            writer.writerow(("ab"[number % 2], f"q{number // 2}", 1, f"u{number % 999}", round(draw.random(), 3)))


def foreign(bench: Bench) -> Row:
    """Files that are whole and belong elsewhere: each has to be told in a sentence."""
    row = Row("files of elsewhere", "emptied gold, another's gold, journal or scores, files of another version")
    for name, change, command in FOREIGN:
        with bench.place() as place:
            change(place)
            row.tried += 1
            ended = run(place, command)
            if ended.problem:
                row.add("wrong", f"{name}: {ended.problem}")
            elif ended.code == 0:
                row.add("wrong", f"{name}: nothing is said: {ended.output[-200:]!r}")
    return row


def _edit(pattern: str, edit: Callable[[str], str]) -> Callable[[Path], object]:
    """Changes the lines of each file of that pattern; files may be packed."""

    def change(place: Path) -> None:
        for path in place.glob(pattern):
            data = path.read_bytes()
            is_packed = data[:2] == b"\x1f\x8b"
            text = edit((gzip.decompress(data) if is_packed else data).decode())
            path.write_bytes(gzip.compress(text.encode()) if is_packed else text.encode())

    return change


def _foreign_lines(place: Path) -> None:
    """Another query's run file under this run's name."""
    ended = run(place, (*RUN[:5], "--no-floors", "--agent", "hybrid_react", "--to", "other", "--quiet"))
    assert ended.code in (0, 3), ended.output
    own, other = (next(iter((place / folder).glob("runs/*/*.gz"))) for folder in ("exp", "other"))
    own.write_bytes(other.read_bytes())


def _after(text: str, turn: str, after: str | None) -> str:
    """Lines of turns of which one follows another turn than it did."""
    rows = list(map(json.loads, text.splitlines()))
    return "".join(f"{json.dumps(row | ({'after': after} if row['query_id'] == turn else {}))}\n" for row in rows)


def _swapped_turns(place: Path) -> None:
    """The second turn's run file under the third's name."""
    second, third = (next((place / "talked").glob(f"runs/*/talk-{number}*.gz")) for number in (2, 3))
    third.write_bytes(second.read_bytes())


def _of_another_version(text: str) -> str:
    return text.replace('"format":1', '"format":99').replace('"format": 1', '"format": 99')


def _other_world(place: Path) -> None:
    """Another shop stands where the experiment's was."""
    shutil.rmtree(place / "w")
    make_world(place / "w", "of another maker")


def _judged(edit: Callable[[str], str]) -> Callable[[Path], object]:
    """An experiment with gold, whose gold is edited."""

    def change(place: Path) -> None:
        asked = ("--world", "shop", "--queries", "asked.jsonl", "--agent", "react", "--to", "judged", "--quiet")
        ended = run(place, ("run", *asked))
        assert ended.code in (0, 3), ended.output
        assert (place / "judged/gold.jsonl").stat().st_size
        _edit("judged/gold.jsonl", edit)(place)

    return change


SCORE_JUDGED = ("score", "judged", "--metrics", "basket,outcome", "--quiet")
TALK_NEW = (*TALKING[:-4], "--to", "new", *TALKING[-2:])
FOREIGN: tuple[tuple[str, Callable[[Path], object], tuple[str, ...]], ...] = (
    ("another run's file", _foreign_lines, VERIFY),
    ("an experiment of another version", _edit("exp/experiment.json", _of_another_version), REPORT),
    ("a world of another version", _edit("w/*/manifest.json", _of_another_version), ("world", "info", "w")),
    ("queries of another version", _edit("q.jsonl", _of_another_version), RUN_NEW),
    ("scores of another version", _edit("exp/scores*.json", _of_another_version), ("compare", "exp", "a", "b")),
    ("no turns", _edit("talk.jsonl", lambda text: ""), TALK_NEW),
    ("a turn that is gone", _edit("talk.jsonl", lambda text: "".join(text.splitlines(keepends=True)[::2])), TALK_NEW),
    ("turns in a circle", _edit("talk.jsonl", lambda text: _after(text, "talk-1", "talk-4")), TALK_NEW),
    ("a turn after itself", _edit("talk.jsonl", lambda text: _after(text, "talk-2", "talk-2")), TALK_NEW),
    ("two turns after one", _edit("talk.jsonl", lambda text: _after(text, "talk-3", "talk-1")), TALK_NEW),
    ("turns of another file", _edit("talk.jsonl", lambda text: _after(text, "talk-1", "other-4")), TALK_NEW),
    ("another turn's run", _swapped_turns, VERIFY_TALKED),
    ("another order of turns in a folder", _edit("talk.jsonl", lambda text: _after(text, "talk-4", None)), TALKING),
    ("another world", _other_world, (*SCORE, "--world", "w")),
    ("emptied gold", _judged(lambda text: ""), SCORE_JUDGED),
    ("another's gold", _judged(lambda text: re.sub(r'"query_id":"[^"]+"', '"query_id":"other"', text)), SCORE_JUDGED),
)


def failing(bench: Bench) -> Row:
    """Agents, metrics, tools and models of one's own that fail where they can."""
    row = Row(
        "failing plugins", "an agent, metric, tool or model of one's own that fails, is no such thing, or is away"
    )
    run_mine = (*RUN_NEW, "--agent")
    for fault in FAULTS:
        agent = AGENT.format(answer=fault, top="AGENT = Agent(answer, roles=())")
        bench.attempt(row, f"an agent: {fault}", writing("mine.py", agent.encode()), (*run_mine, "mine:AGENT"))
        for at in ("init", "judge", "values"):
            metric = METRIC.format(**{"init": "pass", "judge": "pass", "values": "return []", at: fault})
            score = ("score", "exp", "--metrics", "mine:METRIC")
            bench.attempt(row, f"a metric in {at}: {fault}", writing("mine.py", metric.encode()), score, REPORT)
        tool = TOOL.format(body=fault).encode()
        bench.attempt(row, f"a tool: {fault}", writing("mine.py", tool), ("tools", "mine:OWN", "--world", "w"))
        provider = PROVIDER.format(open=fault).encode()
        bench.attempt(row, f"a model: {fault}", writing("mine.py", provider), (*RUN_NEW, "--model", "mine:MODEL:x"))
    for top in (*FAULTS[:3], "1/0", "AGENT = Agent(answer)", "AGENT = Klass", "AGENT = 7", "import nowhere", "x = = 1"):
        agent = AGENT.format(answer="return 'x'", top=top).encode()
        bench.attempt(row, f"a module: {top}", writing("mine.py", agent), (*run_mine, "mine:AGENT"))
    for place in ("mine:AGENT", "mine:Klass", "mine:nothing", "nowhere:AGENT", "mine:"):
        agent = AGENT.format(answer="return 'x'", top="AGENT = 7").encode()
        commands = (
            ("score", "exp", "--metrics", place),
            ("tools", place, "--world", "w"),
            (*RUN_NEW, "--model", f"{place}:x"),
            (*RUN_NEW, "--web", place),
        )
        bench.attempt(row, f"the place {place}", writing("mine.py", agent), *commands)
    return row


def odd_names(bench: Bench) -> Row:
    """Names that nothing goes by, long and with what a terminal would obey."""
    row = Row("odd names", "arguments that nothing goes by, long and with what a terminal would obey")
    names = ("x" * 100_000, "\x1b[31mred\x1b[2J", "\udcff", "é" * 1000, "a\nb", "", "../../x", ".")
    for name in bench.sample(names, 3, len(names)):
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
            ("import", name, name, "--to", name),
            ("verify", name),
        ):
            bench.attempt(row, f"the name {name[:20]!r}", nothing, arguments)
            if "\x1b" in name:
                ended = run(bench.start, arguments)
                if "\x1b[2J" in ended.output:
                    row.add("leaked", f"{arguments[0]}: the terminal is told to clear its screen")
    return row
