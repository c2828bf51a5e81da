"""What comparisons say in plain words, case by case as ``wording.txt`` has it. Also tests records/comparison.py.
_preferred: tests/viewer/tables/test_board.py.

``python -m tests.eval.numbers.test_wording`` writes the file anew.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drretail.eval.numbers.family import assessors_of, board_rows, chosen_pairs, family_of, nothing_to_compare
from drretail.eval.numbers.gathering import Gathered
from drretail.eval.numbers.judges import Assessor, Board
from drretail.eval.numbers.wording import headlines_of, needed_sentence, sentences
from drretail.records.comparison import Comparison, PairScore
from tests.eval.numbers.crafted import (
    CODE,
    JUDGE,
    OTHER,
    RULES,
    Run,
    beside,
    comparison,
    gathered,
    noisy,
    only_row,
    pair_row,
    runs,
)
from tests.golden import read_golden, write_golden

GOLDEN = Path(__file__).with_name("wording.txt")
CLEAR, UNCLEAR = noisy(30, 1.0), noisy(30, 0.05)


def by(*assessors: Assessor, a: Any, b: Any, metric: str = "quality", variant: str = "overall") -> Gathered:
    """Two systems by several judges."""
    return gathered(*((metric, variant, judge, {"a": runs(a), "b": runs(b)}) for judge in assessors))


def misread(held: Gathered) -> Gathered:
    """The same by a judge whose claims leave out the marks of every report."""
    tables = held.tables_of_judges.items()
    made = {key: {run: replace(its, audit={"marks": (0, 9)}) for run, its in table.items()} for key, table in tables}
    return replace(held, tables_of_judges=made)


def bought(a: Sequence[Run], b: Sequence[Run], **items: Any) -> Gathered:
    return gathered(("basket", "right", CODE, {"a": runs(a), "b": runs(b)}), **items)


def paired(*pairs: PairScore) -> Comparison:
    return comparison(beside([6.0] * 6, [6.0] * 6), pairs=pairs)


DECLARED, BY_FORM = {"picks declared": 1.0}, {"picks by form": 1.0}
COMPARISONS: dict[str, Callable[[], Comparison]] = {
    "a clear difference": lambda: comparison(beside(*CLEAR)),
    "less is better": lambda: comparison(
        by(CODE, a=[1.0] * 9 + [0.0] * 3, b=[0.0] * 12, metric="false_statements", variant="false_answers")
    ),
    "a failed run is 0 in what counts success": lambda: comparison(bought([1.0] * 12, [0.0] * 10 + [None] * 2)),
    "failures": lambda: comparison(bought([1.0, 0.0] * 10, [None] * 8 + [1.0, 0.0] * 6)),
    "above where both answered": lambda: comparison(
        beside([6.4 + at % 3 / 5 for at in range(46)] + [None] * 4, [6.0 + at % 2 / 5 for at in range(50)])
    ),
    "above, whatever the failures count": lambda: comparison(beside([*CLEAR[0], None], [*CLEAR[1], 6.0])),
    "five users": lambda: comparison(beside([7.0] * 5, [6.0] * 5)),
    "no difference is shown": lambda: comparison(beside(*UNCLEAR)),
    "too few users": lambda: comparison(beside([9.0, 9.0, 9.0, 8.0], [1.0, 2.0, 1.0, 1.0])),
    "one difference on every query": lambda: comparison(beside([7.0] * 30, [6.0] * 30)),
    "one difference on too few queries for several tests": lambda: comparison(
        gathered(
            ("quality", "overall", JUDGE, {"a": runs([7.0] * 6), "b": runs([6.0] * 6)}),
            ("basket", "right", CODE, {"a": runs([1.0, 0.0] * 3), "b": runs([0.0, 1.0] * 3)}),
        )
    ),
    "equal values": lambda: comparison(beside([6.0, 7.0, 8.0] * 2, [6.0, 7.0, 8.0] * 2)),
    "no query with both values": lambda: comparison(beside([6.0, "na"], ["na", 7.0])),
    "nothing judged": lambda: comparison(beside(["not judged"], ["not judged"])),
    "nothing that a judge that follows rules can judge": lambda: comparison(beside([6.0], [7.0], assessor=RULES)),
    "no headline among what is compared": lambda: comparison(
        beside([3.0], [4.0], metric="process", variant="turns", assessor=CODE)
    ),
    "a side that fails too often": lambda: comparison(beside([*CLEAR[0], *[None] * 4], [*CLEAR[1], *[3.0] * 4])),
    "reports not judged": lambda: comparison(beside([*CLEAR[0], *[9.0] * 4], [*CLEAR[1], *["not judged"] * 4])),
    "judges that contradict each other": lambda: comparison(
        gathered(
            ("quality", "overall", JUDGE, {"a": runs(CLEAR[0]), "b": runs(CLEAR[1])}),
            ("quality", "overall", OTHER, {"a": runs(CLEAR[1]), "b": runs(CLEAR[0])}),
        )
    ),
    "a judge that follows rules": lambda: comparison(
        beside([0.9] * 12, [0.1] * 12, metric="faithfulness", variant="FP", assessor=RULES)
    ),
    "a judge that does not read": lambda: comparison(misread(beside(*CLEAR))),
    "picks that were not read alike": lambda: comparison(
        bought([1.0] * 9, [0.0] * 9, items={"a": DECLARED, "b": BY_FORM})
    ),
    "side by side": lambda: paired(pair_row("depth", 0.2, 0.05, 0.4), pair_row("overall", 0.2, 0.05, 0.4)),
    "side by side, the order decided": lambda: paired(
        pair_row(
            "overall", None, None, None, outcome="order_decided", why="anthropic:claude chose by the order", p=None
        )
    ),
}


def three(best: float, middle: float, last: float, n: int = 14) -> Gathered:
    """Systems a, b and c that differ by so much on each query, and a little by query."""
    waves = [0.0, 0.25, 0.5, 0.25]
    values = {
        label: runs([level + waves[(at * step) % 4] for at in range(n)])
        for step, (label, level) in enumerate({"a": best, "b": middle, "c": last}.items(), 1)
    }
    return gathered(("quality", "overall", JUDGE, values))


def all_of(held: Gathered, *pairs: PairScore, baseline: str | None = None) -> list[str]:
    held = replace(held, board=Board(judge=(JUDGE.judge.key,)))
    if alone := nothing_to_compare(held):
        return [alone]
    assessors = assessors_of(held, pairs)
    family = family_of(held, chosen_pairs(held.definition, baseline=baseline)[1], assessors, pairs)
    made = [*board_rows(held, assessors, {("quality", "overall"): "overall"}, family)]
    names = {plan.label: plan.label.upper() for plan in held.plans}
    return [*sentences(made, names), *filter(None, [needed_sentence(made)])]


ALL_AT_ONCE: dict[str, Callable[[], list[str]]] = {
    "two above the baseline": lambda: all_of(three(8, 5, 2), baseline="c"),
    "all pairs": lambda: all_of(three(8, 8, 2), baseline="all"),
    "a judge that does not read": lambda: all_of(misread(three(8, 5, 2))),
    "preferences": lambda: all_of(
        three(5, 5, 5), pair_row("overall", 0.2, 0.1, 0.3), pair_row("overall", 0.4, 0.1, 0.7, b="c")
    ),
    "one system": lambda: all_of(gathered(("quality", "overall", JUDGE, {"a": runs([7, 8])}))),
}


def written(name: str) -> str:
    if name not in COMPARISONS:
        return "\n".join(ALL_AT_ONCE[name.removeprefix("all at once: ")]())
    made = COMPARISONS[name]()
    return "\n".join([*made.conclusions, *filter(None, [needed_sentence(headlines_of([made]))])])


NAMES = [*COMPARISONS, *(f"all at once: {name}" for name in ALL_AT_ONCE)]


@pytest.mark.parametrize("name", NAMES)
def test_a_case_is_said_as_written_down(name: str) -> None:
    assert written(name) == read_golden(GOLDEN)[name]


def test_the_interval_that_excludes_zero_stands_with_the_p_that_does_not() -> None:
    row = only_row(comparison(beside(*noisy(12, 0.45, seed=4))))
    corrected = row.model_copy(update={"p": 0.03, "p_holm": 0.06, "tests": 2, "outcome": "undecided"})
    (sentence,) = sentences([corrected.model_copy(update={"a": "a", "b": "b"})], {"a": "A", "b": "B"}, is_of_two=True)
    assert sentence.endswith("; p 0.060 as one of 2 tests).")


def test_where_every_run_failed_that_is_all_that_is_said() -> None:
    held = beside([6.0, 7.0], [6.0, 7.0])
    failed = tuple(replace(plan, status="failed", report_sha=None, error="no_research") for plan in held.plans)
    sentence = f"All {len(failed)} runs failed (no_research): nothing was compared."
    assert nothing_to_compare(replace(held, plans=failed)) == sentence
    assert nothing_to_compare(replace(held, plans=(*failed[1:], held.plans[0]))) == ""


if __name__ == "__main__":
    write_golden(GOLDEN, {name: written(name) for name in NAMES})
