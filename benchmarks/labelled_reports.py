"""Reports that people labelled, with copies that hold one planted error each, and what an ideal reader reads of them.

A set is a folder with numbered folders: query.json, calls.json, report.md, labels.json, planted.json and planted/K.md;
some hold twins, too: copies with one false statement each, in twins.json and twins/K.md.
What a report rests on comes from an experiment's runs, else its calls are performed in the world. What the queries want
is in themselves, in the set's wishes.json (by query_id), or in the shipped query of these words.
"""

import argparse
import json
import re
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from pathlib import Path
from typing import Any

from figures import parser_of

from drretail.api.settings import read_settings
from drretail.data_ingest.demo import ensure_world
from drretail.env.session import Session, SessionSettings
from drretail.env.world import World, world_at
from drretail.eval.judging.subject import read_subjects
from drretail.progress import Progress
from drretail.querygen.reading import shipped_queries
from drretail.records.evidence import Evidence
from drretail.records.query import Query
from drretail.records.reading import Pick, Reading, ReadValue, ValueKind
from drretail.records.shop import VOID_STATUSES
from drretail.records.wish import Wish
from drretail.reports.layout import Layout, read_layout
from drretail.reports.picks import take_picks
from drretail.reports.text.amounts import find_amounts
from drretail.reports.text.words import NUMBERS
from drretail.shopping.verify.checks import Case
from drretail.shopping.verify.places import Passage, figures_at, value_at
from drretail.tools.toolkit import Toolkit

READER = "model:labels"
OF_JUDGES = ("citation moved", "contradicted web advice", "instruction of a page", "invented feature", "old page")
"""How the planted errors begin that nobody expects code to find."""
OF_PICKS = ("owned", "unwanted", "budget", "catalog", "not in the shop", "invented product")
"""Planted errors that are picks: whoever reads the copy rightly reads their product among the picks."""
KINDS: Mapping[str, ValueKind] = {
    "price": "price",
    "rating": "rating",
    "rating_count": "rating_count",
    "date": "order_date",
    "total": "total",
}
"""What a judge types of the kinds that labels name."""
_TOKEN = re.compile(r"\d[\d.,]*\d|\w+|\s+|.", re.DOTALL)
_PRODUCT_NAMES = (
    re.compile(r"(?:[A-Z][\w'-]+ )+[A-Z][\w'-]+"),
    # "the Cobble 12-inch pans with rim"
    re.compile(r"(?<=[a-z] )[A-Z][\w'-]+(?: [\w'-]+)+"),
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
_NUMBER_WORDS = {"a": 1, "an": 1, "one": 1, **NUMBERS, **{word: 10 * number for number, word in enumerate(_TENS, 2)}}


@dataclass(frozen=True)
class Planted:
    """A copy of a report with one error."""

    file: str
    kind: str
    report: str
    product: str | None
    """What the error is about, by its id."""


@dataclass(frozen=True)
class Twin:
    """A copy of a report in which one true statement was made false."""

    kind: str
    report: str
    true: tuple[int, int]
    """Where what was changed stands in the report."""
    false: tuple[int, int]
    """Where it stands in the copy."""


@dataclass(frozen=True)
class LabelledReport:
    """One report with its labels, its planted copies and what it rests on."""

    home: Path
    query: Query
    evidence: Mapping[str, Evidence]
    world: World

    @cached_property
    def report(self) -> str:
        return (self.home / "report.md").read_text("utf-8")

    @cached_property
    def labels(self) -> Mapping[str, Any]:
        """Without picks and values where nobody labelled the report."""
        labels = self.home / "labels.json"
        return json.loads(labels.read_text("utf-8")) if labels.exists() else {"picks": [], "values": []}

    @cached_property
    def planted(self) -> Sequence[Planted]:
        lists = (self.home / "planted.json", self.home / "planted" / "planted.json")
        lines = json.loads(next(path for path in lists if path.exists()).read_text("utf-8"))
        folder = self.home / "planted"
        texts = [(folder / Path(line["file"]).name).read_text("utf-8") for line in lines]
        return [
            Planted(line["file"], line["kind"], text, line.get("product_id"))
            for line, text in zip(lines, texts, strict=True)
        ]

    @cached_property
    def twins(self) -> Sequence[Twin]:
        """None in a set without them."""
        listed = self.home / "twins.json"
        lines = json.loads(listed.read_text("utf-8")) if listed.exists() else []
        copies = [(self.home / line["file"]).read_text("utf-8") for line in lines]
        kinds = [line["kind"].replace("_", "/") for line in lines]
        return [
            Twin(kind, copy, *_Edit(self.report, copy).replaced()) for kind, copy in zip(kinds, copies, strict=True)
        ]

    @cached_property
    def picks(self) -> tuple[Pick, ...]:
        """The labelled picks."""
        return tuple(
            _pick(label["product_id"], self.report, label["text"], label["quantity"]) for label in self.labels["picks"]
        )

    def case(self, report: str, picks: Sequence[Pick] | None = None) -> Case:
        """A version of the report under check, with the picks that it declares."""
        user_id, store = self.query.user_id, self.world.store
        orders = () if user_id is None else store.orders(user_id).orders
        return Case(
            report=take_picks(report).report,
            evidence=self.evidence,
            query=self.query,
            picks=None if picks is None else tuple(picks),
            shop=store,
            profiles=() if user_id is None else (store.user(user_id),),
            owned=frozenset(order.product_id for order in orders if order.order_status not in VOID_STATUSES),
            order_ids=frozenset(order.order_id for order in orders),
        )

    def declared(self, planted: Planted) -> tuple[Pick, ...]:
        """The picks of a planted copy: those of its block as a run takes them, else the labelled ones in the quantity
        that it says; and the one that its prose adds."""
        picks = take_picks(planted.report).picks or (*_in_planted_quantity(self, planted),)
        added = [each for each in _planted_pick(self, planted) if each.product not in {pick.product for pick in picks}]
        return (*picks, *added)

    def ideal(self, planted: Planted | None = None) -> Reading:
        """What a perfect reader types: the labelled places, in a planted copy where they are now."""
        report = self.report if planted is None else planted.report
        layout = read_layout(report, self.evidence)
        edit = _Edit(self.report, report)
        read = [_value(label, edit, layout) for label in self.labels["values"]]
        values = [value for value in read if value is not None]
        picks = self.picks if planted is None else self.declared(planted)
        return Reading(reader=READER, picks=picks, values=tuple(sorted(values, key=lambda value: value.start)))


class _Edit:
    """What became of places of a text in an edited one."""

    def __init__(self, before: str, after: str) -> None:
        self.after = after
        old, new = _TOKEN.findall(before), _TOKEN.findall(after)
        matched = SequenceMatcher(None, old, new, autojunk=False)
        old_at, new_at = _offsets(old), _offsets(new)
        self.blocks = [(tag, old_at[i], old_at[j], new_at[k], new_at[m]) for tag, i, j, k, m in matched.get_opcodes()]

    def moved(self, start: int, end: int) -> tuple[int, int] | None:
        """Where a place is now; None where it is gone, or was rewritten together with what stood around it."""
        spans: list[tuple[int, int]] = []
        for tag, old_start, old_end, new_start, new_end in self.blocks:
            if old_end <= start or end <= old_start:
                continue
            if tag == "equal":
                first = new_start + max(start, old_start) - old_start
                spans.append((first, first + min(end, old_end) - max(start, old_start)))
            elif tag == "replace" and start <= old_start and old_end <= end:
                spans.append((new_start, new_end))
            elif tag != "insert":
                return None
        return (spans[0][0], spans[-1][1]) if spans else None

    def replaced(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The place of all that differs, before and after."""
        differing = [block for block in self.blocks if block[0] != "equal"]
        first, last = differing[0], differing[-1]
        return (first[1], last[2]), (first[3], last[4])


def read_set(folder: Path, world: World, experiment: Path | None = None) -> Iterator[LabelledReport]:
    """The reports of a set in the order of their numbers; a query that was typed since has its wish."""
    recorded = {} if experiment is None else _recorded(experiment, world)
    typed = folder / "wishes.json"
    own = json.loads(typed.read_text("utf-8")) if typed.exists() else {}
    wishes = {query.text: query.wish for query in shipped_queries()}
    for path in sorted(folder.glob("*/query.json")):
        query = Query.model_validate_json(path.read_bytes())
        wish = Wish.model_validate(own[query.query_id]) if query.query_id in own else wishes.get(query.text)
        query = query.model_copy(update={"wish": query.wish or wish})
        report = (path.parent / "report.md").read_text("utf-8")
        evidence = recorded.get(report) or _performed(path.parent / "calls.json", query, world)
        yield LabelledReport(path.parent, query, evidence, world)


def arguments(description: str | None, misses: str) -> argparse.ArgumentParser:
    """What a benchmark that reads such a set takes; ``misses`` is what --misses lists."""
    parser = parser_of(description)
    parser.add_argument("folder", type=Path, metavar="SET")
    parser.add_argument("--experiment", type=Path, help="an experiment whose runs hold these reports")
    parser.add_argument("--world", type=Path, help="the world that they were made in, or its archive")
    parser.add_argument("--misses", action="store_true", help=f"list {misses}")
    return parser


def world_of(given: argparse.Namespace, scratch: Path) -> World:
    """The world of --world, else the one in the set, else the demo's."""
    own = given.folder / "world.tar.xz"
    place = given.world or (own if own.exists() else ensure_world("demo", read_settings().cache_dir, Progress()))
    return world_at(unpacked(place, scratch) if place.name.endswith(".tar.xz") else place)


def unpacked(archive: Path, scratch: Path) -> Path:
    """The one folder in an archive, unpacked."""
    with tarfile.open(archive) as tar:
        name = tar.getnames()[0].split("/")[0]
        tar.extractall(scratch, filter="data")
    return scratch / name


def _recorded(experiment: Path, world: World) -> Mapping[str, Mapping[str, Evidence]]:
    """The ledgers of an experiment's runs, by their reports."""
    return {subject.report: subject.evidence for subject in read_subjects(experiment, world.store) if subject.report}


def _performed(calls: Path, query: Query, world: World) -> Mapping[str, Evidence]:
    """The ledger of these tool calls."""
    session = Session(SessionSettings(world, user_id=query.user_id))
    tools = Toolkit(session)
    tools.call_all([(call["name"], call["args"]) for call in json.loads(calls.read_text("utf-8"))])
    return {entry.id: entry for entry in session.ledger.evidence()}


def _value(label: Mapping[str, Any], edit: _Edit, layout: Layout) -> ReadValue | None:
    """What a label says of the edited report; None for what is of no kind, of several things, or has no figure."""
    kind, place = KINDS.get(label["kind"]), edit.moved(label["start"], label["end"])
    of = [f"P:{each}" if each[:1] == "B" else each for each in _listed(label["of"])]
    if kind is None or place is None:
        return None
    if kind == "total":
        of = _calculations(layout, *place)
    if (
        len(of) != 1
        or (kind == "order_date" and of[0][:2] != "O:")
        or not figures_at(kind, Passage.of(edit.after, *place))
    ):
        return None
    return value_at(kind, edit.after, *place, of=of[0])


def _spelled(text: str) -> int:
    return sum(_NUMBER_WORDS.get(word, 0) for word in re.findall("[a-z]+", text.casefold()))


def _calculations(layout: Layout, start: int, end: int) -> list[str]:
    """The calculations whose marks own a place."""
    owned = (stretch.cited for stretch in layout.stretches if stretch.start <= start and end <= stretch.end)
    return [it for cited in owned for it in cited if it[:2] == "C:"]


def _in_planted_quantity(report: LabelledReport, plant: Planted) -> Iterator[Pick]:
    """The labelled picks; one whose quantity was exchanged has the new one."""
    (_, _), (start, end) = _Edit(report.report, plant.report).replaced()
    words = plant.report[start:end]
    numbers = [int(amount.low) for amount in find_amounts(words)] or [_spelled(words)]
    is_quantity = "quantity" in plant.kind and "total" not in plant.kind and numbers[0] > 0
    for pick in report.picks:
        is_meant = is_quantity and pick.product == (plant.product or report.picks[0].product)
        yield pick.model_copy(update={"quantity": numbers[0]}) if is_meant else pick


def _planted_pick(report: LabelledReport, plant: Planted) -> Iterator[Pick]:
    """The pick that a planted error adds: its product, or the name of one that does not exist."""
    is_lacking = any(words in plant.kind for words in ("catalog", "not in the shop", "invented product"))
    if not any(words in plant.kind for words in OF_PICKS) or (is_lacking and plant.product is not None):
        # A name that was made up within what is said of a product of the shop recommends nothing.
        return
    start, end = _Edit(report.report, plant.report).replaced()[1]
    found = (pattern.findall(plant.report[start:end]) for pattern in _PRODUCT_NAMES)
    named = next((max(names, key=len) for names in found if names), None)
    product = plant.product or named
    if product is not None and product not in {pick.product for pick in report.picks}:
        yield Pick(product=product, start=start, end=end)


def _pick(product: str, report: str, words: str, quantity: int) -> Pick:
    start = report.find(words)
    end = start + len(words)
    return Pick(product=product, quantity=quantity, start=None if start < 0 else start, end=None if start < 0 else end)


def _listed(given: Any) -> list[str]:
    return [] if given is None else [given] if isinstance(given, str) else list(given)


def _offsets(tokens: Sequence[str]) -> list[int]:
    places = [0]
    for token in tokens:
        places.append(places[-1] + len(token))
    return places
