"""What comparisons say in plain words, case by case as ``sentences.txt`` has it, and the figures behind.

``python -m tests.eval.compare.test_sentences`` writes the file anew.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drretail.eval.compare.differences import ALONE, compared_pairs, nothing_to_compare, primary_tests
from drretail.eval.compare.wording import findings
from drretail.eval.scores.gathering import Assessor, Gathered
from drretail.records.comparison import Comparison, PairScore
from tests.eval.compare.crafted import CODE, JUDGE, OTHER, RULES, beside, comparison, gathered, noisy, pair_row, runs

GOLDEN = Path(__file__).with_name("sentences.txt")
EQUAL, CLEAR, UNCLEAR = ([6.0, 7.0], [6.0, 7.0]), noisy(30, 1.0), noisy(30, 0.05)


def by(*assessors: Assessor, a: Any, b: Any, variants: Iterable[str] = ("overall",)) -> Gathered:
    """Two systems by several judges, in these variants of quality."""
    both = {"a": a, "b": b}
    return gathered(*(("quality", variant, judge, both) for judge in assessors for variant in variants))


def incomplete(label: str) -> Gathered:
    """A clear difference, with a researcher of one run of a system lost to a provider."""
    held = beside(*CLEAR)
    place = next(at for at, plan in enumerate(held.plans) if plan.label == label)
    lost = replace(held.plans[place], losses={"researcher": 1})
    return replace(held, plans=(*held.plans[:place], lost, *held.plans[place + 1 :]))


def paired(*pairs: PairScore, a: str = "a", b: str = "b") -> Comparison:
    return comparison(beside(*EQUAL), a, b, pairs=pairs)


LOUD = {"q1": [[2, 2], [9, 9]], "q2": [[3, 3], [8, 8]], "q3": [[9, 9], [2, 2]]}
MOODY = {"q1": [[1, 9], [2, 9]], "q2": [[2, 9], [4, 10]], "q3": [[9, 2], [9, 7]]}
ONCE = {"q1": [2, 9], "q2": [3, 8], "q3": [9, 2]}
CLEAN = ("checks", "clean", CODE, {"a": runs([1.0]), "b": runs([0.0])})
DECLARED, BY_FORM = {"picks declared": 1.0}, {"picks by form": 1.0}
PREFERRED, UNSURE = pair_row("depth", 0.2, 0.05, 0.4), pair_row("overall", 0.6, 0.4, 0.8)
FIVE = {"n_queries": 5, "queries_won": 5, "queries_lost": 0, "p": 0.06, "p_holm": 0.06}
FEW = {"n_queries": 2, "queries_won": 2, "queries_lost": 0, "p": 0.5, "p_holm": 1.0}
CONTRARY = pair_row("depth", 0.8, 0.6, 0.9, judge="openai:gpt", queries_won=9, queries_lost=1)
FAILED = pair_row(
    "depth", 0.5, 0.5, 0.5, n_scored=0, n_failed=20, failed_verdicts=40, win_rate=None, flip_rate=None, p=None,
    p_holm=None, n_queries=0,
)  # fmt: skip


def misread(held: Gathered) -> Gathered:
    """The same by a judge whose claims leave out the marks of every report."""
    tables = held.tables_of_judges.items()
    made = {key: {run: replace(its, audit={"reports": (0, 1)}) for run, its in table.items()} for key, table in tables}
    return replace(held, tables_of_judges=made)


def failing(held: Gathered) -> Gathered:
    """The same by a judge that gave no usable answer to one more question on each report."""
    tables = held.tables_of_judges.items()
    made = {key: {run: replace(its, errors=("unusable",)) for run, its in table.items()} for key, table in tables}
    return replace(held, tables_of_judges=made)


COMPARISONS: dict[str, Callable[[], Comparison]] = {
    "a clear difference": lambda: comparison(beside(*CLEAR)),
    "a clear difference, the other way round": lambda: comparison(beside(*CLEAR), "b", "a"),
    "a failed run is 0 in what counts success": lambda: comparison(
        beside([1.0] * 12, [0.0] * 10 + [None] * 2, metric="basket", variant="feasible", assessor=CODE)
    ),
    "no difference can be concluded": lambda: comparison(beside(*UNCLEAR)),
    "too few queries": lambda: comparison(beside([9.0, 9.0, 9.0, 8.0], [1.0, 2.0, 1.0, 1.0])),
    "one difference on every query": lambda: comparison(beside([7.0] * 30, [6.0] * 30)),
    "equal values": lambda: comparison(beside([6.0, 7.0, 8.0], [6.0, 7.0, 8.0])),
    "one query, equal": lambda: comparison(beside([6.0], [6.0])),
    "one query": lambda: comparison(beside([6.0], [7.0])),
    "no query with both values": lambda: comparison(beside([6.0, "na"], ["na", 7.0])),
    "nothing judged": lambda: comparison(beside(["not judged"], ["not judged"])),
    "more than one pair in ten without a value": lambda: comparison(
        beside([*CLEAR[0], *["failed"] * 4], [*CLEAR[1], *[3.0] * 4])
    ),
    "one pair in ten without a value": lambda: comparison(
        beside([*CLEAR[0], *["failed"] * 3], [*CLEAR[1], *[3.0] * 3])
    ),
    "an answer lost by the side that is lower": lambda: comparison(incomplete("b")),
    "an answer lost by the side that is higher": lambda: comparison(incomplete("a")),
    "a side that fails": lambda: comparison(beside([*CLEAR[0], None, None], [*CLEAR[1], 3.0, 2.0])),
    "a side that fails too often": lambda: comparison(beside([*CLEAR[0], *[None] * 4], [*CLEAR[1], *[3.0] * 4])),
    "reports not judged": lambda: comparison(beside(CLEAR[0], [*CLEAR[1][:-2], "not judged", "not judged"])),
    "judges that contradict each other": lambda: comparison(
        gathered(
            ("quality", "overall", JUDGE, {"a": runs(CLEAR[0]), "b": runs(CLEAR[1])}),
            ("quality", "overall", OTHER, {"a": runs(CLEAR[1]), "b": runs(CLEAR[0])}),
        )
    ),
    "judges that say the same": lambda: comparison(by(JUDGE, OTHER, a=runs(CLEAR[0]), b=runs(CLEAR[1]))),
    "judges that say the same of nothing": lambda: comparison(
        by(JUDGE, OTHER, a=runs(UNCLEAR[0]), b=runs(UNCLEAR[1]), variants=("overall", "depth", "clarity"))
    ),
    "a judge that follows rules": lambda: comparison(
        beside([0.9] * 12, [0.1] * 12, metric="faithfulness", variant="FP", assessor=RULES)
    ),
    "a judge that does not read": lambda: comparison(
        misread(by(JUDGE, a=runs(CLEAR[0]), b=runs(CLEAR[1]), variants=("overall", "depth"))),
        pairs=[pair_row("depth", 0.2, 0.05, 0.4, outcome="not_read")],
    ),
    "a judge that failed on some questions": lambda: comparison(failing(beside(*CLEAR))),
    "ratings of a judge that follows rules": lambda: comparison(beside(*CLEAR, assessor=RULES)),
    "a judge that was not repeated": lambda: comparison(by(JUDGE, a=ONCE, b=ONCE)),
    "a system that checks itself": lambda: comparison(gathered(CLEAN, self_checked=["b"])),
    "picks that were not read alike": lambda: comparison(gathered(CLEAN, items={"a": DECLARED, "b": BY_FORM})),
    "picks that were read alike": lambda: comparison(gathered(CLEAN, items={"a": DECLARED, "b": DECLARED})),
    "side by side": lambda: paired(PREFERRED, UNSURE),
    "side by side, the other way round": lambda: paired(PREFERRED, UNSURE, a="b", b="a"),
    "side by side, an answer lost by the side that is not preferred": lambda: paired(
        pair_row("depth", 0.2, 0.05, 0.4, outcome="missing")
    ),
    "side by side, too few queries however often repeated": lambda: paired(
        *(pair_row(each, 1.0, 1.0, 1.0, **FEW) for each in ("constraint_following", "overall"))
    ),
    "side by side, five queries": lambda: paired(pair_row("depth", 1.0, 1.0, 1.0, **FIVE)),
    "side by side, six queries": lambda: paired(
        pair_row("depth", 1.0, 0.6, 1.0, **FIVE | {"n_queries": 6, "queries_won": 6, "p_holm": 0.03})
    ),
    "side by side, judges that contradict each other": lambda: paired(PREFERRED, CONTRARY),
    "side by side against ratings": lambda: comparison(beside(*CLEAR, variant="depth"), pairs=[PREFERRED]),
    "side by side, no usable answer": lambda: paired(FAILED),
    "side by side, some answers missing": lambda: paired(
        FAILED.model_copy(update={"n_scored": 5, "not_judged": 3, "failed_verdicts": 1})
    ),
    "side by side, not asked for": lambda: comparison(beside(*EQUAL), pairs=[PREFERRED], pairwise=False),
    "side by side, other systems and rules": lambda: paired(
        PREFERRED.model_copy(update={"b": "c"}), PREFERRED.model_copy(update={"note": "not rated (rule-based)"})
    ),
}
MANY = 14
WAVES = [0.0, 0.25, 0.5, 0.25]
SEVEN = {"a": runs([5 + each for each in (1.0, 1.2, 1.1, 1.3, 0.9, 1.4)]), "b": runs([5.0] * 6)}
FALLING = {label: runs([level] * 11 + [level + 1] * 10) for label, level in {"a": 8, "b": 5, "c": 2}.items()}
TIED = (pair_row("overall", 0.2, 0.1, 0.3), pair_row("overall", 0.2, 0.1, 0.3, b="c"), pair_row("depth", 1, 1, 1))


def three(best: float, middle: float, last: float, n: int = MANY) -> Gathered:
    """Systems a, b and c that differ by so much on each query, and a little by query."""
    values = {
        label: runs([level + WAVES[(at * step) % 4] for at in range(n)])
        for step, (label, level) in enumerate({"a": best, "b": middle, "c": last}.items(), 1)
    }
    return gathered(("quality", "overall", JUDGE, values))


def all_of(held: Gathered, *pairs: PairScore, judge: Assessor = JUDGE, overall: str = "") -> list[str]:
    names = {plan.label: plan.label.upper() for plan in held.plans}
    alone = nothing_to_compare(held)
    if alone:
        return [alone]
    called = {("quality", "overall"): overall} if overall else {}
    primary = primary_tests(held, [], [judge, CODE], pairs)
    made = compared_pairs(held, [judge, CODE], called, primary, pairs)
    return [finding.sentence for finding in findings(made, names)]


def of_users(count: int) -> Gathered:
    users = {f"q{at:03}": f"u{at % count}" for at in range(21)}
    return gathered(("quality", "overall", JUDGE, FALLING), users=users)


RULED = {"a": runs([0.9] * MANY), "b": runs([0.1 + at / 100 for at in range(MANY)])}
ALL_AT_ONCE: dict[str, Callable[[], list[str]]] = {
    "three that differ, under the name of the board": lambda: all_of(three(8, 5, 2), overall="quality"),
    "two above a third": lambda: all_of(three(8, 8, 2)),
    "three queries": lambda: all_of(three(8, 5, 2, n=3)),
    "up and down": lambda: all_of(by(JUDGE, a=runs([6.0, 4.4] * 7), b=runs([5.0] * MANY))),
    "the same in every system": lambda: all_of(by(JUDGE, a=runs([7] * 9), b=runs([7] * 9))),
    "two systems": lambda: all_of(gathered(("quality", "overall", JUDGE, SEVEN))),
    "two systems beside two more, over all whose pairs it is corrected": lambda: all_of(
        gathered(("quality", "overall", JUDGE, {**SEVEN, "c": runs([5.0] * 6), "d": runs([5.0] * 6)}))
    ),
    "two headlines, corrected together": lambda: all_of(
        gathered(("quality", "overall", JUDGE, SEVEN), ("basket", "feasible", CODE, SEVEN))
    ),
    "a headline and a preference, corrected together": lambda: all_of(
        gathered(("quality", "overall", JUDGE, SEVEN)), pair_row("overall", 0.5, 0.3, 0.7, p=1.0)
    ),
    "a judge that follows rules": lambda: all_of(gathered(("faithfulness", "FP", RULES, RULED)), judge=RULES),
    "code beside it": lambda: all_of(gathered(("basket", "feasible", CODE, RULED)), judge=RULES),
    "preferences": lambda: all_of(three(5, 5, 5), *TIED),
    "preferences that are not sure": lambda: all_of(three(5, 5, 5), pair_row("overall", 0.5, 0.3, 0.7, p_holm=1.0)),
    "seven users": lambda: all_of(of_users(7)),
    "five users": lambda: all_of(of_users(5)),
    "a judge that does not read": lambda: all_of(
        misread(three(8, 5, 2)), pair_row("overall", 0.2, 0.1, 0.3, outcome="not_read")
    ),
    "a judge that failed on some questions": lambda: all_of(failing(three(8, 5, 2))),
    "one system": lambda: all_of(gathered(("quality", "overall", JUDGE, {"a": runs([7, 8])}))),
}


def written(name: str) -> str:
    """What is said of a case, a line each: conclusions, behind a tilde what is exploratory, and behind a dash what is
    missing, with its command. What the first case misses is written there alone.
    """
    if name not in COMPARISONS:
        return "\n".join(ALL_AT_ONCE[name.removeprefix("all at once: ")]())
    made, usual = COMPARISONS[name](), () if name == NAMES[0] else COMPARISONS[NAMES[0]]().missing
    gaps = [gap for gap in made.missing if gap not in usual]
    missing = [f"- {gap.what}" + (f" → {gap.command}" if gap.command else "") for gap in gaps]
    return "\n".join([*made.conclusions, *(f"~ {each}" for each in made.exploratory), *missing])


NAMES = [*COMPARISONS, *(f"all at once: {name}" for name in ALL_AT_ONCE)]


def golden() -> dict[str, str]:
    cases = GOLDEN.read_text(encoding="utf-8").split("\n\n## ")
    parts = [case.removeprefix("## ").partition("\n") for case in cases]
    return {name: text.strip("\n") for name, _, text in parts}


@pytest.mark.parametrize("name", NAMES)
def test_a_case_is_said_as_written_down(name: str) -> None:
    assert written(name) == golden()[name]


def test_the_golden_file_holds_these_cases_and_no_others() -> None:
    assert [*golden()] == NAMES
    assert golden()["all at once: one system"] == ALONE


def test_noise_is_split_between_agent_and_judge_only_where_both_are_repeated_or_the_judge_is_code() -> None:
    loud, moody = comparison(by(JUDGE, a=LOUD, b=MOODY)).tables[0].reliability
    assert (loud.sd_judge, moody.sd_agent) == (0, 0)
    assert min(loud.sd_agent or 0, moody.sd_judge or 0) > 4
    once, by_code = (
        comparison(gathered((metric, variant, judge, {"a": ONCE, "b": ONCE}))).tables[0].reliability[0]
        for metric, variant, judge in (("quality", "overall", JUDGE), ("process", "turns", CODE))
    )
    assert (once.sd_agent, once.sd_judge) == (None, None)
    assert once.sd_repeats == pytest.approx(((49 + 25 + 49) / 2 / 3) ** 0.5)
    assert (by_code.sd_agent, by_code.sd_repeats) == (once.sd_repeats, None)


if __name__ == "__main__":
    GOLDEN.write_text("\n\n".join(f"## {name}\n{written(name)}" for name in NAMES) + "\n", encoding="utf-8")


def test_where_every_run_failed_that_is_all_that_is_said() -> None:
    held = beside(*EQUAL)
    failed = tuple(replace(plan, status="failed", report_sha=None, error="no_research") for plan in held.plans)
    sentence = f"All {len(failed)} runs failed (no_research): nothing was compared."
    assert nothing_to_compare(replace(held, plans=failed)) == sentence
    assert nothing_to_compare(replace(held, plans=(*failed[1:], held.plans[0]))) == ""
