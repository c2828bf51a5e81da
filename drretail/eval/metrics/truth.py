"""The truth gate: what a report's decision is worth, if nothing in it is false; without a model (docs/scores.md)."""

from collections.abc import Mapping
from dataclasses import dataclass

from drretail.eval.baskets import Decided, Measured, decided_by, not_measured, utility_ratio
from drretail.eval.judging.question import NO_WORLD
from drretail.eval.judging.readings import reading_of
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import of_measures
from drretail.eval.metrics.reward import web_answered
from drretail.grounding.cart import Cart
from drretail.grounding.report.markup import has_unread_elements
from drretail.grounding.text.untrusted import visible
from drretail.grounding.verify.checks import breach
from drretail.records.reading import Outcome


@dataclass(frozen=True, slots=True)
class Truth:
    """The worth of one run's report."""

    is_true: bool
    task: float
    """From 0 to 1: the cart's utility relative to the best one, or the worth of a refusal if the shop can't meet the
    wish; halved if the query asks the web something that the report does not answer.
    """
    why: str = ""
    """Why it is not true; empty if it is."""

    @property
    def primary(self) -> float:
        return self.task if self.is_true else 0.0


def truth_of(subject: Subject) -> Truth | None:
    """The worth of a planned run, 0 without a report; None for a query without a right answer."""
    query, run, reference = subject.query, subject.run, subject.reference
    if reference is None or query.wish is None:
        return None
    is_proved = reference.proof is not None and reference.proof.state == "proved"
    if not is_proved and not_measured(query.wish, reference):
        return None
    if run is None or run.report is None or not (subject.report or "").strip():
        return Truth(False, 0.0, "there is no report")
    if has_unread_elements(visible(run.report)):
        return Truth(False, 0.0, "the report holds HTML other than plain tags")
    case, picks = subject.case, run.picks or ()
    products = case.products(run.picks)
    decided = decided_by(case, reference, products)
    task, why = 0.0, breach(case, reading_of(subject)) or case.no_decision or ""
    if not is_proved:
        task = utility_ratio(Cart(query.wish, reference, picks, products)).value or 0.0
        why = why or ("something is refused that the shop has" if decided is not None and decided.refused else "")
    elif decided is not None and decided.refused and not decided.bought and decided.shown:
        task = worth_of_refusal(decided, run.outcome)
    # The share of an answer to what the query asks the web, also of a system without one. An open web has other pages.
    question, research = query.web_question, 1.0
    if question is not None and question.answers and not subject.system.web_is_live:
        research = web_answered(case, question)
    return Truth(not why, task * (1 + research) / 2, why)


def worth_of_refusal(decided: Decided, outcome: Outcome | None) -> float:
    """The worth of a right refusal: half for refusing, half for the nearest alternative, times the share of right
    reasons.
    """
    nearest = 1.0 if decided.nearest is None else decided.nearest
    right = 1.0 if decided.reason is None or outcome is None or not outcome.because else decided.reason
    return right * (1 + nearest) / 2


def measure(subject: Subject) -> Mapping[str, Measured] | str:
    """The three numbers of a run."""
    truth = truth_of(subject)
    if truth is None:
        is_known = subject.reference is not None or subject.query.wish is None or subject.system.is_imported
        return "no cart and no refusal is proved to be right" if is_known else NO_WORLD
    numbers = {"primary": truth.primary, "true": float(truth.is_true), "task": truth.task}
    return {variant: Measured(number, truth.why) for variant, number in numbers.items()}


METRIC = of_measures("truth", 3, measure)
