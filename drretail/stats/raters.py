"""How far every two people agree who answered the same: on reports, on queries, on records."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import TypeVar

from drretail.stats.agreement import cohen_kappa, percent
from drretail.tables.table import Cell, Table, table_of

Item = TypeVar("Item", bound=Hashable)
Kappa = Callable[[Sequence[Hashable], Sequence[Hashable]], float | None]
NOT_ANSWERED = "nothing was answered by both"
ONE_ANSWER = "the answers that count are all the same"
MOST_ROWS = 20
"""The most agreements of which each has a row of its own when printed."""


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


def agreement_on(
    first: str, second: str, about: str, pairs: Sequence[tuple[Hashable, Hashable]], kappa: Kappa = cohen_kappa
) -> Agreement:
    """The agreement of two raters whose answers on the same items are ``pairs``."""
    ones, others = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    value = kappa(ones, others)
    na = None if value is not None else ONE_ANSWER if pairs else NOT_ANSWERED
    return Agreement(first, second, about, len(pairs), percent(ones, others), value, na)


def agreements(
    raters: Iterable[tuple[str, Mapping[Item, Hashable]]], about: str, kappa: Kappa = cohen_kappa
) -> Iterator[Agreement]:
    """The agreement of every two raters, each with a name and answers by item; one model may answer twice."""
    for (first, ones), (second, others) in combinations(raters, 2):
        yield agreement_on(first, second, about, [(ones[item], others[item]) for item in ones if item in others], kappa)


def agreement_table(title: str, found: Sequence[Agreement], items: str, words: Callable[[str], str]) -> Table:
    """A row for every two raters and question, of ``n`` items; more than ``MOST_ROWS`` are summarised by question."""
    if len(found) > MOST_ROWS:
        return _by_question(title, found, words)
    rows = [
        (
            *(f"{each.first}, {each.second}", words(each.about), each.n, Cell(each.share, "percent")),
            f"na: {each.na}" if each.kappa is None else each.kappa,
        )
        for each in found
    ]
    return table_of(title, ["", "about", items, "the same", "Cohen's kappa"], rows)


def _by_question(title: str, found: Sequence[Agreement], words: Callable[[str], str]) -> Table:
    by_question: dict[str, list[Agreement]] = defaultdict(list)
    for each in found:
        by_question[each.about].append(each)
    rows: list[tuple[object, ...]] = []
    for about, its in by_question.items():
        kappas = [each.kappa for each in its if each.kappa is not None]
        low, middle, high = (min(kappas), median(kappas), max(kappas)) if kappas else (None, None, None)
        rows.append((words(about), len(its), len(kappas), low, middle, high))
    columns = ["about", "pairs of people", "with a kappa", "lowest", "median", "highest"]
    return table_of(title, columns, rows, notes=["--json has every two people."])
