"""One unit of ten is dropped, damaged, doubled, refused or cut, in each stage: is it said, and is nothing praised?

A cell is a stage with a fault. It is said if the command ends with a sentence (2), with what is left (3) or with a
failed gate (4); if its accounts (``--json``) show the unit; or, of one that is not there any more, if they count one
less. It is praised if something that was not looked at is called good: a gate passes, all are "looked at".
"""

import csv
import gzip
import io
import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from drretail.records.base import canonical_json
from drretail.records.query import Query

from .bench import USER, Bench, Ended, Row, run

N, AT = 10, 4
"""Units, and the place of the one that the fault is done to."""
Change = Callable[[Path], object]
Lines = list[bytes]


@dataclass(frozen=True)
class Stage:
    """What takes ten units: a command, and the faults of its units."""

    name: str
    command: Sequence[str]
    faults: Mapping[str, Change]
    make: Change = field(default=lambda place: None)
    """Writes the units, in a copy of the bench's folder."""


def silent(bench: Bench) -> Row:
    """All stages with all of their faults."""
    row = Row("one of ten", "a unit that is dropped, damaged, doubled, refused or cut, in each stage")
    every = stages()
    for stage in bench.sample(every, 6, len(every)):
        with bench.place() as place:
            stage.make(place)
            plain = run(place, (*stage.command, "--json"))
        for fault, change in stage.faults.items():
            with bench.place() as place:
                stage.make(place)
                change(place)
                row.tried += 1
                ended = run(place, (*stage.command, "--json"))
                if ended.problem:
                    row.add("wrong", f"{stage.name}, {fault}: {ended.problem}")
                elif not is_said(plain, ended):
                    row.add("lost", f"{stage.name}, {fault}: nothing is said: {ended.output[-300:]!r}")
                if praise := praised(ended):
                    row.add("wrong", f"{stage.name}, {fault}: praised: {praise!r}")
    return row


TOLD = ("gesperrt", "nein", "vielleicht", "in May", '"empty": 1', "older than the runs")
"""Values that can't be taken, as they are shown; and a report without a word, which is a failed run."""


def is_said(plain: Ended, ended: Ended) -> bool:
    """Whether a command that ended so told what the plain one did not have to."""
    if ended.code in (2, 4) or ended.code == 3 != plain.code:
        return True  # a refused gate passes nothing, whatever else refuses it
    if any(word in ended.output and word not in plain.output for word in TOLD):
        return True
    before, now = accounts_of(plain), accounts_of(ended)
    return any(
        (one["came"], one["used"], one["merged"], one["left_out"])
        != (other["came"], other["used"], other["merged"], other["left_out"])
        for one, other in zip(before, now, strict=False)
    )


def accounts_of(ended: Ended) -> list[dict[str, Any]]:
    """The accounts of a command's JSON; none if it printed none."""
    start = ended.output.find("{")
    try:
        return json.JSONDecoder().raw_decode(ended.output[max(start, 0) :])[0].get("accounts", [])
    except ValueError:
        return []


def praised(ended: Ended) -> str:
    """A sentence that calls good what an account of the same output says was not all looked at."""
    is_partial = ended.code in (2, 3) or any(one["came"] != one["used"] for one in accounts_of(ended))
    found = re.search(r"No [a-z ]+ was found in \d+ \w+\.|Passes:[^\n]{0,80}|[Nn]one contradicts", ended.output)
    return found.group() if is_partial and found else ""


def of_lines(name: str, spoil: Callable[[bytes], bytes] | None = None) -> dict[str, Change]:
    """The faults of a file with a unit a line, of which the first may be a header."""
    damaged = spoil or (lambda line: line[: len(line) // 2])

    def edit(change: Callable[[Lines], Lines], place: Path) -> None:
        lines = (place / name).read_bytes().splitlines(keepends=True)
        (place / name).write_bytes(b"".join(change(lines)))

    return {
        "dropped": partial(edit, lambda lines: lines[:AT] + lines[AT + 1 :]),
        "damaged": partial(
            edit, lambda lines: [*lines[:AT], damaged(lines[AT]).rstrip(b"\n") + b"\n", *lines[AT + 1 :]]
        ),
        "doubled": partial(edit, lambda lines: [*lines[: AT + 1], *lines[AT:]]),
        "cut": lambda place: (place / name).write_bytes((place / name).read_bytes()[:-20]),
        "emptied": partial(
            edit, lambda lines: [*lines[:AT], b"{}\n" if name.endswith("l") else b"\n", *lines[AT + 1 :]]
        ),
    }


def of_array(name: str) -> dict[str, Change]:
    """The faults of a JSON array."""

    def edit(change: Callable[[list[Any]], list[Any]], place: Path) -> None:
        (place / name).write_text(json.dumps(change(json.loads((place / name).read_text("utf-8")))), "utf-8")

    return {
        "dropped": partial(edit, lambda rows: rows[:AT] + rows[AT + 1 :]),
        "damaged": partial(edit, lambda rows: [*rows[:AT], {"messages": 7}, *rows[AT + 1 :]]),
        "doubled": partial(edit, lambda rows: [*rows[: AT + 1], *rows[AT:]]),
        "cut": lambda place: (place / name).write_bytes((place / name).read_bytes()[:-20]),
        "emptied": partial(edit, lambda rows: [*rows[:AT], {}, *rows[AT + 1 :]]),
    }


def of_runs(experiment: str) -> dict[str, Change]:
    """The faults of one run file of an experiment."""

    def edit(change: Callable[[Path, Path], object], place: Path) -> None:
        files = sorted((place / experiment).glob("runs/*/*.gz"))
        change(files[AT], files[AT + 1])

    return {
        "dropped": partial(edit, lambda own, other: own.unlink()),
        "damaged": partial(edit, lambda own, other: own.write_bytes(own.read_bytes()[::-1])),
        "doubled": partial(edit, lambda own, other: own.write_bytes(other.read_bytes())),
        "cut": partial(edit, lambda own, other: own.write_bytes(own.read_bytes()[: own.stat().st_size // 2])),
        "emptied": partial(edit, lambda own, other: own.write_bytes(b"")),
    }


def without(faults: Mapping[str, Change], *names: str) -> dict[str, Change]:
    return {name: change for name, change in faults.items() if name not in names}


def of_verdicts(experiment: str, metric: str) -> dict[str, Change]:
    """The faults of the verdicts on one system, which are one packed file."""

    def edit(change: Callable[[Path], object], place: Path) -> None:
        change(sorted((place / experiment).glob(f"verdicts/{metric}/*/*/packed.jsonl.gz"))[-1])

    def fail(own: Path) -> None:
        own.write_bytes(gzip.compress(gzip.decompress(own.read_bytes()).replace(b'"scored"', b'"failed"', 1)))

    return {
        "dropped": partial(edit, Path.unlink),
        "damaged": partial(edit, lambda own: own.write_bytes(own.read_bytes()[::-1])),
        "emptied": partial(edit, lambda own: own.write_bytes(b"")),
        "failed": partial(edit, fail),
    }


ASKED = ("run", "--world", "w", "--queries", "ten.jsonl")
TEN = (*ASKED, "--agent", "react", "--agent", "steady:answer", "--no-floors", "--to", "ten", "--quiet")
SCORED = ("score", "ten", "--metrics", "faithfulness,checks", "--quiet")


def stages() -> list[Stage]:
    """All stages, in the order of the data's way."""
    return [*shops(), *imports(), *questions(), *runs(), *folders(), *judges(), *worlds()]


def shops() -> Iterator[Stage]:
    for name, file in (("products", "meta_Pet_Supplies.jsonl"), ("reviews", "Pet_Supplies.jsonl")):
        command = ("ingest", "raw", "--world", "anew", "--min-interactions", "1", "--quiet")
        yield Stage(f"ingest: {name}", command, of_lines(f"raw/{file}"), _raw)
    for form, make, file, good, bad in (
        ("Shopify", _shopify, "products.csv", b"true", b"gesperrt"),
        ("WooCommerce", _woo, "products.csv", b",1,visible", b",nein,"),
        ("Merchant", _merchant, "products.tsv", b"in stock", b"vielleicht"),
        ("orders", _orders, "orders.csv", b"2024", b"in May"),
    ):
        faults = of_lines(f"own/{file}", lambda line, good=good, bad=bad: line.replace(good, bad))
        yield Stage(f"ingest: {form}", ("ingest", "own/shop.toml", "--world", "anew", "--quiet"), faults, make)


def imports() -> Iterator[Stage]:
    for name, form, place, make, faults in (
        ("chat, JSONL", "chat", "chat.jsonl", partial(_chat, as_array=False), of_lines("chat.jsonl")),
        ("chat, an array", "chat", "chat.json", partial(_chat, as_array=True), of_array("chat.json")),
        ("chat, questions and answers", "chat", "pairs.jsonl", _pairs, of_lines("pairs.jsonl")),
        ("markdown", "markdown", "reports", _reports, _of_files("reports")),
        ("drb", "drb", "drb.jsonl", _drb, of_lines("drb.jsonl")),
    ):
        yield Stage(f"import: {name}", ("import", form, place, "--to", "came", "--quiet"), faults, make)


def questions() -> Iterator[Stage]:
    imported = ("queries", "import", "asked.csv", "--world", "w", "--to", "imported-q.jsonl", "--quiet")
    # A question that was cut is a question.
    yield Stage("queries import", imported, without(of_lines("asked.csv", lambda line: b"   \n"), "cut"), _questions)
    yield Stage("queries check", ("queries", "check", "ten.jsonl", "--world", "w"), of_lines("ten.jsonl"), _ten)


def runs() -> Iterator[Stage]:
    yield Stage("run", TEN, of_lines("ten.jsonl"), _ten)
    refused = (*ASKED, "--agent", "refuses:answer", "--no-floors", "--to", "ten", "--quiet")
    faults = {word: partial(_refusing, code=code) for word, code in REFUSALS.items()}
    yield Stage("run: an agent refuses", refused, faults, _ten)
    # A run that is gone is made again, which is what the command is for.
    yield Stage("resume", TEN, without(of_runs("ten"), "dropped"), partial(_recorded, commands=[TEN]))


def folders() -> Iterator[Stage]:
    judged, report = partial(_recorded, commands=[TEN, SCORED]), ("report", "ten", "--quiet")
    yield Stage("score", SCORED, of_runs("ten"), partial(_recorded, commands=[TEN]))
    for name, command in (
        ("score again", SCORED),
        ("compare", ("compare", "ten", "--quiet")),
        ("gate", ("compare", "ten", "--fail-if", "clean < -0.5", "--quiet")),
        ("report", report),
        ("verify", ("verify", "ten", "--quiet")),
        ("export: chat", ("export", "ten", "--format", "chat", "--to", "out.jsonl", "--quiet")),
        ("export: csv", ("export", "ten", "--format", "csv", "--to", "out", "--quiet")),
    ):
        yield Stage(name, command, of_runs("ten"), judged)
    verdicts = of_verdicts("ten", "faithfulness")
    # Verdicts that are gone are made again, which is what `score` is for.
    yield Stage("score: verdicts", SCORED, without(verdicts, "dropped"), judged)
    yield Stage("report: verdicts", report, verdicts, judged)
    yield Stage("verify: verdicts", ("verify", "ten"), verdicts, judged)


def judges() -> Iterator[Stage]:
    for metric in ("faithfulness", "reading", "quality", "pairwise"):
        command = ("score", "ten", "--metrics", metric, "--judge", "scripted:judge.json", "--quiet")
        faults = {word: partial(_judge, answer=answer) for word, answer in JUDGES.items()}
        yield Stage(f"{metric}: a judge", command, faults, partial(_recorded, commands=[TEN]))


def worlds() -> Iterator[Stage]:
    yield Stage("world copy", ("world", "copy", "w", "copied", "--quiet"), _of_world())
    yield Stage("world check", ("world", "check", "w"), _of_world())


REFUSALS = {
    "refused": "raise RuntimeError('refused')",
    "empty": "return ''",
    "nothing": "return None",
    "not text": "return 7",
}
JUDGES: Mapping[str, Mapping[str, Any]] = {
    "refuses all": {"error": "refusal"},
    "reads nothing": {"structured": {"claims": [], "picks": [], "values": [], "verdicts": []}},
    "garbled": {"text": "I would rather not"},
    "away": {"error": "connection"},
}


def _recorded(place: Path, commands: Iterable[Sequence[str]]) -> None:
    _ten(place)
    for command in commands:
        ended = run(place, command)
        assert ended.code in (0, 3), ended.output


def _ten(place: Path) -> None:
    rows = (
        Query(query_id=f"t{number}", user_id=USER, text=f"Which bird feeder under ${20 + number} suits me?", source="b")
        for number in range(N)
    )
    (place / "steady.py").write_text(
        "def answer(question):\n    return 'The feeder [P:B0TEST0001] holds seed.'\n", "utf-8"
    )
    _write(place / "ten.jsonl", (canonical_json(row.model_dump(mode="json")) for row in rows))


def _refusing(place: Path, code: str) -> None:
    body = f"    if '$24' in question:\n        {code}\n    return 'The feeder [P:B0TEST0001] holds seed.'\n"
    (place / "refuses.py").write_text(f"def answer(question):\n{body}", "utf-8")


def _judge(place: Path, answer: Mapping[str, Any]) -> None:
    (place / "judge.json").write_text(json.dumps({"rules": [{"answer": answer}]}), "utf-8")


def _of_world() -> dict[str, Change]:
    def edit(change: Callable[[Path], object], place: Path) -> None:
        change(next((place / "w").glob("gen-*/shop.sqlite")))

    def execute(sql: str, place: Path) -> None:
        import sqlite3

        with sqlite3.connect(next((place / "w").glob("gen-*/shop.sqlite"))) as store:
            store.execute(sql)

    return {
        "dropped": partial(execute, "DELETE FROM products WHERE product_id = 'B0TEST0002'"),
        "damaged": partial(execute, "UPDATE products SET record = '{' WHERE product_id = 'B0TEST0002'"),
        "order dropped": partial(execute, "DELETE FROM orders WHERE order_id = '0000000001'"),
        "cut": partial(edit, lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])),
    }


def _of_files(folder: str) -> dict[str, Change]:
    def edit(change: Callable[[Path], object], place: Path) -> None:
        change(sorted((place / folder).rglob("*.md"))[AT])

    return {
        "dropped": partial(edit, Path.unlink),
        "damaged": partial(edit, lambda file: file.write_bytes(b"\xff\xfe\x00 no text")),
        "doubled": partial(edit, lambda file: shutil.copy(file, file.with_name("again.md"))),
        "emptied": partial(edit, lambda file: file.write_bytes(b"")),
    }


def _write(path: Path, rows: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{row}\n" for row in rows), "utf-8")


def _raw(place: Path) -> None:
    for file in (place / "raw").iterdir():
        file.unlink()
    products = ({"parent_asin": f"B00000000{n}", "title": f"Dog bed {n}", "price": 9 + n} for n in range(N))
    reviews = (
        {
            "user_id": f"U{n % 3}",
            "parent_asin": f"B00000000{n}",
            "asin": f"B00000000{n}",
            "timestamp": 1_600_000_000_000 + n,
        }
        for n in range(N)
    )
    _write(place / "raw/meta_Pet_Supplies.jsonl", map(json.dumps, products))
    _write(place / "raw/Pet_Supplies.jsonl", map(json.dumps, reviews))


def _table(place: Path, name: str, heads: Sequence[str], rows: Iterable[Sequence[object]], toml: str) -> None:
    (place / "own").mkdir(exist_ok=True)
    (place / "own/shop.toml").write_text(toml, "utf-8")
    held = io.StringIO()
    csv.writer(held, delimiter="\t" if name.endswith("tsv") else ",", lineterminator="\n").writerows([heads, *rows])
    (place / "own" / name).write_text(held.getvalue(), "utf-8")


def _shopify(place: Path) -> None:
    heads = ("Handle", "Title", "Published", "Option1 Name", "Option1 Value", "Variant SKU", "Variant Price", "Status")
    rows = ((f"lamp-{n}", f"Desk lamp {n}", "true", "Size", "S", f"L{n}", f"{20 + n}.00", "active") for n in range(N))
    toml = 'format = "shopify"\ncurrency = "EUR"\nproducts = {file = "products.csv"}\n'
    _table(place, "products.csv", heads, rows, toml)


def _woo(place: Path) -> None:
    heads = (
        "ID",
        "Type",
        "SKU",
        "Name",
        "Published",
        "Visibility in catalog",
        "In stock?",
        "Regular price",
        "Categories",
    )
    rows = ((n + 1, "simple", f"A{n}", f"Oak mug {n}", 1, "visible", 1, 9 + n, "Mugs") for n in range(N))
    toml = 'format = "woocommerce"\ncurrency = "EUR"\nproducts = {file = "products.csv"}\n'
    _table(place, "products.csv", heads, rows, toml)


def _merchant(place: Path) -> None:
    heads = ("id", "title", "price", "availability")
    rows = ((f"A{n}", f"Oak mug {n}", f"{9 + n}.00 EUR", "in stock") for n in range(N))
    _table(place, "products.tsv", heads, rows, 'format = "merchant"\nproducts = {file = "products.tsv"}\n')


def _orders(place: Path) -> None:
    toml = (
        'currency = "USD"\nproducts = {file = "products.csv", id = "sku", title = "name", price = "net"}\n'
        'orders = {file = "orders.csv", id = "number", user = "customer", product = "sku", date = "day"}\n'
    )
    _table(place, "products.csv", ("sku", "name", "net"), ((n, f"Oak lamp {n}", 30 + n) for n in range(N)), toml)
    rows = ((9000 + n, "ada", n, f"2024-03-0{n % 9 + 1}") for n in range(N))
    _table(place, "orders.csv", ("number", "customer", "sku", "day"), rows, toml)


def _talk(number: int) -> dict[str, Any]:
    return {
        "messages": [
            {"role": "user", "content": f"What does lamp {number} cost?"},
            {"role": "assistant", "content": f"Lamp {number} costs $2{number}.50."},
        ],
        "user": f"u{number}",
        "conversation": f"c{number}",
    }


def _chat(place: Path, *, as_array: bool) -> None:
    rows = [_talk(number) for number in range(N)]
    if as_array:
        (place / "chat.json").write_text(json.dumps(rows, indent=1), "utf-8")
    else:
        _write(place / "chat.jsonl", map(json.dumps, rows))


def _pairs(place: Path) -> None:
    rows = (
        {"question": f"What does lamp {n} cost?", "answer": f"Lamp {n} costs $2{n}.", "user": f"u{n}"} for n in range(N)
    )
    _write(place / "pairs.jsonl", map(json.dumps, rows))


def _reports(place: Path) -> None:
    for number in range(N):
        folder = place / "reports/alpha"
        _write(folder / f"q{number}.q", [f"How do I clean feeder {number}?"])
        _write(
            folder / f"q{number}.md",
            [f"Clean it every {number + 2} weeks [1].", "", "## Sources", "[1] Care, https://a.example/"],
        )


def _drb(place: Path) -> None:
    rows = (
        {"id": n, "prompt": f"How do I clean feeder {n}?", "article": f"Every {n + 2} weeks [1]."} for n in range(N)
    )
    _write(place / "drb.jsonl", map(json.dumps, rows))


def _questions(place: Path) -> None:
    _write(place / "asked.csv", ["question", *(f"Which bird feeder under ${20 + n} suits me?" for n in range(N))])
