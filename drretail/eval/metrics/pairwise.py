"""Pairwise judging: which of two reports is better, one question for each dimension and order (paper Appendix C,
Table 13, Figure 6).
"""

from functools import cache
from pathlib import Path
from typing import Literal

from drretail.eval.judging.dimensions import DIMENSIONS, PERSONALIZATION, criterion_of, published_prompt, unjustified
from drretail.eval.judging.question import JudgeQuestion, Ruling
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Pair
from drretail.eval.metric import PairMetric
from drretail.eval.metrics.readings import judge_context, picks_with_prices, report_and_sources, report_as_read
from drretail.eval.registry import PAIRWISE
from drretail.llm.prompt import Prompt, load_prompt, load_table
from drretail.records.base import Record, Rules, sha256_of
from drretail.records.comparison import EQUAL
from drretail.records.score import Order

PROMPTS = str(Path(__file__).with_suffix("") / "pairwise.py")
"""Prompts are in the folder ``pairwise/prompts``; users override them under its name."""


def comparison_prompt(dimension: str, rules: Rules = "default") -> Prompt:
    """The dimension's prompt with its criterion filled in, so that its hash covers the criterion's text.

    The prompt of the paper's rules allows only A and B as answers, and shows the reports alone.
    """
    if rules == "paper":
        return published_prompt(PROMPTS, "comparing_paper", dimension)
    criterion = criterion_of(load_table(PROMPTS, "criteria")[dimension])
    text = load_prompt(PROMPTS, "comparing").text.replace("{{criterion}}", criterion)
    return Prompt(dimension, text, load_prompt(PROMPTS, "shared").text)


def prompts(rules: Rules) -> dict[str, Prompt]:
    """The current prompts by dimension."""
    return {dimension: comparison_prompt(dimension, rules) for dimension in DIMENSIONS}


VERSION = 1
STAGE = "comparison"
NOT_FITTED = "no profile of a user to fit the reports to"
RULES: tuple[Rules, ...] = ("default", "paper")
BOTH: tuple[Order, ...] = ("ab", "ba")


class CriterionComparison(Record, title="Comparison"):
    """What tells two reports apart under one criterion, and which of them is better."""

    justification: str
    winner: Literal["A", "B", "equal"]


class PaperComparison(Record):
    """The same as the paper asks it (Table 13): the winner first, and no "equal"."""

    winner: Literal["A", "B"]
    justification: str


def orders(rules: Rules, seed: str, run_ids: tuple[str, str], dimension: str) -> tuple[Order, ...]:
    """The orders in which a judge reads two reports: both or, under the paper's rules, one that is drawn by seed."""
    if rules != "paper":
        return BOTH
    drawn = int(sha256_of([PAIRWISE, seed, *run_ids, dimension])[:8], 16) % 2
    return (BOTH[drawn],)


async def judge(pair: Pair, seed: str, judge_session: JudgeSession) -> None:
    """Records for every dimension and order which system wrote the better report: "a", "b" or "equal".

    Call it only if both runs left a report. Without a profile, personalization is na.
    """
    rules, run_ids = judge_session.rules, (pair.a.run_id, pair.b.run_id)
    ordered = {"ab": ((pair.a, "A"), (pair.b, "B")), "ba": ((pair.b, "A"), (pair.a, "B"))}

    # Cached functions: most often every verdict exists, and neither is called.
    @cache
    def material(order: Order) -> dict[str, str]:
        """The shared beginning of every question in this order: all data in tags, the reports as A and B."""
        shown = judge_context(pair.a, rules)
        for (run, name), letter in zip(ordered[order], "ab", strict=True):
            if rules == "paper":
                shown[f"report_{letter}"] = report_as_read(run, name=name)
            else:
                shown[f"report_{letter}"], shown[f"sources_{letter}"] = report_and_sources(run, name=name)
        return shown

    @cache
    def picks(order: Order) -> str:
        """The picks of both; blank if those of one are unknown, which would look like a report without picks."""
        lists = [picks_with_prices(subject, rules, name=name) for subject, name in ordered[order]]
        return "\n".join(lists) if all(lists) else ""

    def question(dimension: str, order: Order) -> JudgeQuestion[CriterionComparison | PaperComparison]:
        prompt = comparison_prompt(dimension, rules)

        def values() -> dict[str, str]:
            return material(order) | ({"picks": picks(order)} if "{{picks}}" in prompt.text else {})

        def read(answer: CriterionComparison | PaperComparison) -> Ruling:
            system = {"A": order[0], "B": order[1]}.get(answer.winner, EQUAL)
            return Ruling(system, answer.justification.strip())

        schema = PaperComparison if rules == "paper" else CriterionComparison
        begins_with = order if rules == "default" else ""
        return JudgeQuestion(
            STAGE, dimension, prompt, values, schema, read, unjustified, order=order, begins_with=begins_with
        )

    compared_in = [name for name in DIMENSIONS if name != PERSONALIZATION or pair.a.profile is not None]
    await judge_session.ask_and_record(
        *(question(name, order) for name in compared_in for order in orders(rules, seed, run_ids, name))
    )
    for dimension in {*DIMENSIONS} - {*compared_in}:
        for order in orders(rules, seed, run_ids, dimension):
            judge_session.record_if_missing(STAGE, dimension, "na", order=order, reason=NOT_FITTED)


METRIC = PairMetric(PAIRWISE, VERSION, judge, DIMENSIONS, prompts, orders, RULES, after=("reading",))
