"""Which of two reports is better: for each dimension one question in each order (paper Appendix C, Table 13)."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

from drretail.eval.family import PairFamily
from drretail.eval.judging.dimensions import DIMENSIONS, PERSONALIZATION, criterion_of, unjustified
from drretail.eval.judging.material import picks_with_prices, report_and_sources, shopper_context
from drretail.eval.judging.pairs import Pair
from drretail.eval.judging.question import JudgeQuestion, Ruling
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.registry import PAIRWISE
from drretail.prompts import Prompt, load_prompt
from drretail.records.base import Record, Rules, sha256_of
from drretail.records.pairs import EQUAL
from drretail.records.score import Order


@cache
def criteria() -> dict[str, dict[str, str]]:
    """By dimension its ``title``, the ``text`` of what it compares, and for some how ``picks`` belong to it."""
    return tomllib.loads((Path(__file__).parent / "criteria.toml").read_text(encoding="utf-8"))


def prompt_for(dimension: str, rules: Rules = "default") -> Prompt:
    """The dimension's prompt with its criterion filled in, so that its hash names the criterion's wording too.

    That of the paper's rules offers A and B alone.
    """
    name = "comparing_paper" if rules == "paper" else "comparing"
    text = load_prompt(__file__, name).text.replace("{{criterion}}", criterion_of(criteria()[dimension], rules))
    return Prompt(dimension, text, load_prompt(__file__, "shared").text)


def prompts(rules: Rules) -> dict[str, Prompt]:
    """By dimension, as they are worded now."""
    return {dimension: prompt_for(dimension, rules) for dimension in DIMENSIONS}


VERSION = 1
STAGE = "comparison"
NOT_FITTED = "no profile of a user to fit the reports to"
RULES: tuple[Rules, ...] = ("default", "paper")
BOTH: tuple[Order, ...] = ("ab", "ba")


class Comparison(Record):
    """What tells two reports apart under one criterion, and which of them is better."""

    justification: str
    winner: Literal["A", "B", "equal"]


class PaperComparison(Record):
    """The same as the paper asks it, without "equal"."""

    justification: str
    winner: Literal["A", "B"]


def orders(rules: Rules, seed: str, run_ids: tuple[str, str], dimension: str) -> tuple[Order, ...]:
    """In which orders a judge reads two reports: in both, or under the paper's rules in one that is drawn by seed."""
    if rules != "paper":
        return BOTH
    drawn = int(sha256_of([PAIRWISE, seed, *run_ids, dimension])[:8], 16) % 2
    return (BOTH[drawn],)


async def judge(pair: Pair, seed: str, judge_session: JudgeSession) -> None:
    """Records for every dimension and order which system wrote the better report: "a", "b" or "equal".

    Only called where both runs left a report. Without a profile personalization is na.
    """
    rules, run_ids = judge_session.rules, (pair.a.run_id, pair.b.run_id)
    material = _Material(pair, rules)
    compared_in = [name for name in DIMENSIONS if name != PERSONALIZATION or pair.a.profile is not None]
    await judge_session.ask_and_record(
        *(
            _question(dimension, order, material, rules)
            for dimension in compared_in
            for order in orders(rules, seed, run_ids, dimension)
        )
    )
    for dimension in {*DIMENSIONS} - {*compared_in}:
        for order in orders(rules, seed, run_ids, dimension):
            judge_session.record_if_missing(STAGE, dimension, "na", order=order, reason=NOT_FITTED)


class _Material:
    """What a judge reads of two reports; made when it is asked for, since most often every verdict stands."""

    def __init__(self, pair: Pair, rules: Rules) -> None:
        self._pair = pair
        self._rules: Rules = rules
        self.given = cache(self._given)
        self.picks = cache(self._picks)

    def _given(self, order: Order) -> dict[str, str]:
        """What every question in this order begins with: all data in tags, the reports as A and B."""
        (report_a, sources_a), (report_b, sources_b) = (
            report_and_sources(subject, name=name) for subject, name in self._named(order)
        )
        reports = {"report_a": report_a, "sources_a": sources_a, "report_b": report_b, "sources_b": sources_b}
        return {**shopper_context(self._pair.a), **reports}

    def _picks(self, order: Order) -> str:
        """Of both reports; none where those of one are not known, which would look like a report without any."""
        lists = [picks_with_prices(subject, self._rules, name=name) for subject, name in self._named(order)]
        return "\n".join(lists) if all(lists) else ""

    def _named(self, order: Order) -> tuple[tuple[Subject, str], tuple[Subject, str]]:
        a, b = self._pair.a, self._pair.b
        return ((a, "A"), (b, "B")) if order == "ab" else ((b, "A"), (a, "B"))


def _question(
    dimension: str, order: Order, material: _Material, rules: Rules
) -> JudgeQuestion[Comparison | PaperComparison]:
    prompt = prompt_for(dimension, rules)

    def given() -> dict[str, str]:
        picks = {"picks": material.picks(order)} if "{{picks}}" in prompt.text else {}
        return material.given(order) | picks

    def read(answer: Comparison | PaperComparison) -> Ruling:
        system = {"A": order[0], "B": order[1]}.get(answer.winner, EQUAL)
        return Ruling(system, answer.justification.strip())

    schema = PaperComparison if rules == "paper" else Comparison
    return JudgeQuestion(STAGE, dimension, prompt, given, schema, read, unjustified, order=order, begins_with=order)


METRIC = PairFamily(PAIRWISE, VERSION, judge, DIMENSIONS, prompts, orders, RULES, after=("reading",))
