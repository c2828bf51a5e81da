"""How far every two people agree who answered the same: on reports, on queries, on records."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import Generic, NamedTuple, TypeVar

from drretail.records.tables.table import Cell, Table, table_of
from drretail.stats.agreement import cohen_kappa, percent

Item = TypeVar("Item", bound=Hashable)
NOT_ANSWERED = "nothing was answered by both"
ONE_ANSWER = "the answers that count are all the same"
MOST_ROWS = 20
"""The most agreements of which each has a row of its own when printed."""


class Answered(NamedTuple, Generic[Item]):
    """What one rater answered to one question about one item."""

    rater: str
    item: Item
    about: str
    """The question."""
    value: str


class Pair(NamedTuple):
    """The answers of two raters to one question, on the items that both answered."""

    first: str
    second: str
    about: str
    ones: Sequence[Hashable]
    others: Sequence[Hashable]


def pairs_of(answers: Iterable[Answered[Item]]) -> Iterator[Pair]:
    """Every two raters of each question, in order of their first answers; the last answer on an item counts."""
    by_question: dict[str, dict[str, dict[Item, str]]] = defaultdict(lambda: defaultdict(dict))
    for rater, item, about, value in answers:
        by_question[about][rater][item] = value
    for about, by_rater in by_question.items():
        for (first, ones), (second, others) in combinations(by_rater.items(), 2):
            both = [item for item in ones if item in others]
            yield Pair(first, second, about, [ones[item] for item in both], [others[item] for item in both])


def differences(answers: Iterable[Answered[Item]]) -> dict[tuple[Item, str], dict[str, str]]:
    """By item and question, what each rater answered, where they do not all answer the same."""
    by_place: dict[tuple[Item, str], dict[str, str]] = defaultdict(dict)
    for rater, item, about, value in answers:
        by_place[item, about][rater] = value
    return {asked: by_rater for asked, by_rater in by_place.items() if len({*by_rater.values()}) > 1}


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of two raters on one question.

    ``share`` is 0 to 1; ``kappa`` is -1 to 1, or None with the reason in ``na``.
    """

    first: str
    second: str
    about: str
    n: int
    """What both have answered."""
    share: float | None
    kappa: float | None
    na: str | None = None


def agreement_on(pair: Pair) -> Agreement:
    """The agreement of two raters."""
    value = cohen_kappa(pair.ones, pair.others)
    na = None if value is not None else ONE_ANSWER if pair.ones else NOT_ANSWERED
    return Agreement(*pair[:3], len(pair.ones), percent(pair.ones, pair.others), value, na)


def agreement_table(title: str, agreements: Sequence[Agreement], items: str, words: Callable[[str], str]) -> Table:
    """A row for every two raters and question, of ``n`` items; more than ``MOST_ROWS`` are summarised by question."""
    if len(agreements) > MOST_ROWS:
        return _by_question(title, agreements, words)
    rows = [
        (
            *(f"{each.first}, {each.second}", words(each.about), each.n, Cell(each.share, "percent")),
            f"na: {each.na}" if each.kappa is None else each.kappa,
        )
        for each in agreements
    ]
    return table_of(title, ["", "about", items, "the same", "Cohen's kappa"], rows)


def _by_question(title: str, agreements: Sequence[Agreement], words: Callable[[str], str]) -> Table:
    by_question: dict[str, list[Agreement]] = defaultdict(list)
    for each in agreements:
        by_question[each.about].append(each)
    rows: list[tuple[object, ...]] = []
    for about, its in by_question.items():
        kappas = [each.kappa for each in its if each.kappa is not None]
        low, middle, high = (min(kappas), median(kappas), max(kappas)) if kappas else (None, None, None)
        rows.append((words(about), len(its), len(kappas), low, middle, high))
    columns = ["about", "pairs of people", "with a kappa", "lowest", "median", "highest"]
    return table_of(title, columns, rows, notes=["--json has every two people."])
