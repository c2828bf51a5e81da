"""Which of two reports is better: for each dimension one question in each order (paper Appendix C, Table 13)."""

from functools import cached_property
from typing import Literal

from drretail.errors import UserError
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.pairwise.dimensions import DIMENSIONS, PERSONALIZATION, prompt_for
from drretail.eval.pairwise.pairs import Pair
from drretail.eval.registry import PAIRWISE
from drretail.grounding.report.render import render_report
from drretail.prompts import tagged
from drretail.records.base import Record, sha256_of
from drretail.records.rules import Rules
from drretail.records.score import Order
from drretail.records.shop import SHOP_URL

VERSION = 1
STAGE = "comparison"
NO_PROFILE = "Nothing is known of this shopper."
RULES: tuple[Rules, ...] = ("default", "paper")
BOTH: tuple[Order, ...] = ("ab", "ba")


class Comparison(Record):
    """What tells two reports apart under one criterion, and which of them is better."""

    justification: str
    winner: Literal["A", "B"]


def check_rules(rules: Rules) -> None:
    """Raises UserError for rules that say nothing of pairs, under which every question would be paid again."""
    if rules not in RULES:
        raise UserError(
            f"pairwise knows the rules {' and '.join(RULES)}, for {rules} is of faithfulness alone: leave --rules out, "
            f"or judge {PAIRWISE} by a command of its own."
        )


def orders(rules: Rules, seed: str, run_ids: tuple[str, str], dimension: str) -> tuple[Order, ...]:
    """In which orders a judge reads two reports: in both, or under the paper's rules in one that is drawn by seed."""
    if rules != "paper":
        return BOTH
    drawn = int(sha256_of([PAIRWISE, seed, *run_ids, dimension])[:8], 16) % 2
    return (BOTH[drawn],)


async def judge(pair: Pair, seed: str, judge_session: JudgeSession) -> None:
    """Records for every dimension and order which system wrote the better report: "a" or "b".

    Only called where both runs left a report. Without a profile personalization is na.
    """
    material = _Material(pair)
    run_ids = pair.a.run_id, pair.b.run_id
    await judge_session.each(
        _compare(dimension, order, material, judge_session)
        for dimension in DIMENSIONS
        for order in orders(judge_session.rules, seed, run_ids, dimension)
    )


class _Material:
    """What a judge reads of two reports; made when it is asked for, since most often every verdict stands."""

    def __init__(self, pair: Pair) -> None:
        self._pair = pair

    @property
    def has_profile(self) -> bool:
        return self._pair.a.profile is not None

    def given(self, order: Order) -> dict[str, str]:
        """All data in tags, the reports as A and B in this order."""
        first, second = order
        return {
            **self._both,
            "report_a": tagged("report", self._texts[first], name="A"),
            "report_b": tagged("report", self._texts[second], name="B"),
        }

    @cached_property
    def _both(self) -> dict[str, str]:
        subject = self._pair.a
        profile = NO_PROFILE if subject.profile is None else subject.profile.text
        return {
            "shop_url": SHOP_URL,
            "today": subject.today,
            "query": tagged("query", subject.query.text),
            "profile": tagged("profile", profile),
        }

    @cached_property
    def _texts(self) -> dict[str, str]:
        return {"a": _rendered(self._pair.a), "b": _rendered(self._pair.b)}


def _rendered(subject: Subject) -> str:
    """The report with numbered references and their list: evidence ids would tell something of the system."""
    return render_report(subject.report or "", subject.evidence.values(), style="plain").text


async def _compare(dimension: str, order: Order, material: _Material, judge_session: JudgeSession) -> None:
    if dimension == PERSONALIZATION and not material.has_profile:
        if judge_session.standing(STAGE, dimension, order=order) is None:
            judge_session.record(
                STAGE, dimension, "na", order=order, reason="no profile of a user to fit the reports to"
            )
        return
    prompt = prompt_for(dimension)
    if judge_session.standing(STAGE, dimension, prompt.hash, order=order) is not None:
        return
    claim_verdict = await judge_session.ask(
        STAGE, dimension, prompt, material.given(order), Comparison, _unjustified, order=order
    )
    answer = claim_verdict.answer
    first, second = order
    judge_session.record(
        STAGE,
        dimension,
        claim_verdict.state,
        None if answer is None else first if answer.winner == "A" else second,
        order=order,
        reason="" if answer is None else answer.justification.strip(),
        prompt_hash=claim_verdict.prompt_hash,
        error=claim_verdict.error,
    )


def _unjustified(answer: Comparison) -> str | None:
    return None if answer.justification.strip() else "justification: it is empty; say what tells the reports apart"
