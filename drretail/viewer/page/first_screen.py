"""A question at a glance: its limits, and of each answer what it picks, which limits that breaks, what is false."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from drretail.eval.judging.dimensions import PRIMARY
from drretail.grounding.text.wording import wish_lines
from drretail.records.evidence import Finding
from drretail.records.tables.figures import counted
from drretail.records.wish import Wish
from drretail.viewer.cart import Cart
from drretail.viewer.claims import Support
from drretail.viewer.experiment import ExperimentView, Question, RunView
from drretail.viewer.judged import PairJudgement
from drretail.viewer.page.links import claim_anchor, statement_anchor
from drretail.viewer.run_lines import DECISIONS, LIMITS, OUTCOMES, WRONG_PICKS, Decision, RunLine, proof_of
from drretail.viewer.tables.false_statements import CHECKED
from drretail.viewer.tables.result import OUTCOME, two_of

_WRONG: tuple[Support, ...] = ("contradicted", "none")
_NOT_A_LIMIT = ("owned:", "orders:")


@dataclass(frozen=True, slots=True)
class WrongClaims:
    """False statements of a report, or claims that its sources don't support."""

    words: str
    """For example "1 false statement"."""
    support: Support
    anchors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnswerCard:
    """One system's answer at a glance."""

    name: str
    line: RunLine
    cart: Cart | None
    """None if the report's picks are unknown."""
    broken: Mapping[str | None, tuple[str, ...]]
    """The limits that each product breaks ("✗ …"), or may break ("? …"), by its id.

    Under None stand those of the whole cart, such as the budget.
    """
    limits_met: str
    """For example "Meets every limit".

    Empty if a limit is broken, the query has no typed wish, or code has not checked it.
    """
    supported: str
    """For example "36 of 38 cited claims supported, 1 partly"; empty if no claim was judged."""
    wrong: tuple[WrongClaims, ...]
    proof: str | None
    """What checking every product of its shop proved, as ``proof_of`` says."""
    is_preferred: bool = False
    """True if the judge prefers it to the other answer."""


@dataclass(frozen=True, slots=True)
class QuestionCard:
    """A question, and one or two answers to it side by side."""

    question: Question
    limits: str
    """The limits on the picks in one line; empty if the query has no typed wish."""
    is_infeasible: bool
    """True if checking every product proved that nothing meets the limits."""
    answers: tuple[AnswerCard, ...]

    @property
    def difference(self) -> int:
        """How much the answers differ; differences that a reader sees at once count most."""
        if len(self.answers) < 2:
            return 0
        a, b = self.answers
        bought = [{pick.product for pick in answer.cart.lines} if answer.cart else set() for answer in self.answers]
        return (
            4 * (bool(a.limits_met) != bool(b.limits_met))
            + 3 * (bool(a.wrong) != bool(b.wrong))
            + 2 * (bought[0] != bought[1])
            + (a.is_preferred or b.is_preferred)
        )


def question_card(
    view: ExperimentView, question: Question, answers: Sequence[AnswerCard], judgements: Sequence[PairJudgement]
) -> QuestionCard:
    """The card with the first repeat of the two systems to show first, of all answers to the question."""
    shown = two_of(view.scores.scoreboard, view.definition.systems)
    by_label = {answer.line.label: answer for answer in answers if answer.line.repeat == 1}
    # The system that the first judge of both prefers overall; None if neither
    preferred = None
    first = next((each for each in judgements if each.repeat == 1 and set(each.labels) == set(shown)), None)
    if first is not None:
        choice = next((each.choice for each in first.dimensions if each.dimension == PRIMARY), None)
        preferred = {"a": first.labels[0], "b": first.labels[1]}.get(choice or "")
    wish = question.query.wish
    limits = [] if wish is None else list(_limits(wish))
    return QuestionCard(
        question=question,
        limits=" · ".join(limits),
        is_infeasible={answer.proof for answer in answers} == {"proved"},
        answers=tuple(
            replace(by_label[label], is_preferred=label == preferred) for label in shown if label in by_label
        ),
    )


def _limits(wish: Wish) -> Iterator[str]:
    """The limits on the picks, without what the shopper merely allows."""
    wants = tuple(want.model_copy(update={"again": False}) for want in wish.wants)
    unlimited = {want.name for want in wants}
    for line in wish_lines(wish.model_copy(update={"wants": wants})):
        if line not in unlimited and not line.startswith(_NOT_A_LIMIT):
            yield line


def most_telling(cards: Sequence[QuestionCard]) -> QuestionCard:
    """The question whose answers differ most; the first of several."""
    return max(cards, key=lambda card: card.difference)


def answer_card(name: str, view: RunView, line: RunLine, cart: Cart | None) -> AnswerCard:
    """What the first screen and the question's page say of one answer."""
    proof = proof_of(view)
    doubted = [finding for finding in view.checks.findings if finding.code in LIMITS]
    is_broken = any(finding.severity == "error" for finding in doubted)
    of_cart = tuple(f"{words[:2]}{words[2:3].upper()}{words[3:]}" for words in _broken(doubted, None))
    # The proof over every product may contradict what was bought, or that nothing was
    if cart is not None and cart.lines and proof == "proved" and not is_broken:
        of_cart += ("✗ Nothing in the shop meets every limit",)
    elif cart is not None and not cart.lines and proof == "refuted":
        of_cart += ("✗ The shop has products that meet every limit",)
    is_broken = is_broken or any(words.startswith("✗") for words in of_cart)
    limits_met = ""
    if cart and not of_cart and not doubted and line.question.query.wish is not None and view.checks.made:
        refused = "Right: nothing in the shop meets every limit" if proof == "proved" else "Breaks no limit"
        limits_met = "Meets every limit" if cart.lines else refused
    decision = _decision(line, cart, is_broken=is_broken, is_kept=bool(limits_met))
    of_products = {pick.product: _broken(doubted, f"P:{pick.product}") for pick in (cart.lines if cart else ())}
    broken = {None: of_cart, **of_products}
    # By the first judge's verdicts, the worst first.
    claims = view.claims[0].claims if view.claims else ()
    wrong: list[WrongClaims] = []
    for support in _WRONG:
        anchors = tuple(claim_anchor(view, 0, claim) for claim in claims if claim.support == support)
        if support == "contradicted":
            anchors = tuple(statement_anchor(view, statement) for statement in view.false)
        if anchors:
            wrong.append(WrongClaims(_counted(len(anchors), support), support, anchors))
    marks = [words for every in broken.values() for words in every if words.startswith("✗")]
    faults: dict[str, str] = {}
    if decision in WRONG_PICKS:
        faults["wrong"] = marks[0].removeprefix("✗ ") if marks else DECISIONS[decision][1]
    if view.false:
        faults["false"] = f"“{view.false[0].text}”"
    if decision == "failed":
        faults["failed"] = line.why or OUTCOMES["gave up"]
    return AnswerCard(
        name=name,
        line=replace(line, decision=decision, faults=faults),
        cart=cart,
        broken=broken,
        limits_met=limits_met,
        supported=_supported(view, line),
        wrong=tuple(wrong),
        proof=proof,
    )


def _supported(view: RunView, line: RunLine) -> str:
    """How many of its claims, or of its statements about products, hold."""
    if view.is_answer:
        false = f": {line.false or 'none'} false" if line.checked else ""
        return f"{counted(line.checked, 'statement')} about your products checked{false}"
    # As in FP: a claim whose verdict failed, or whose sources nobody could read, is none of them.
    cited = sum(line.counts.get(support, 0) for support in CHECKED)
    open_claims = sum(count for support, count in line.counts.items() if support != "uncited") - cited
    partly = f", {line.counts['partial']} partly" if line.counts.get("partial") else ""
    supported = f"{line.counts.get('full', 0)} of {cited} cited claims supported{partly}" if cited else ""
    if open_claims:
        supported += f", {open_claims:,} not judged" if cited else f"{counted(open_claims, 'cited claim')} not judged"
    return supported


def _decision(line: RunLine, cart: Cart | None, *, is_broken: bool, is_kept: bool) -> Decision:
    """What became of an answer: by whether it is feasible, else by what its picks break."""
    value = line.values.get(OUTCOME)
    if line.state != "done" or (cart is None and "gave up" in line.outcomes):
        return "failed"
    if value is not None and value >= 1:
        return "right"
    if "refused wrongly" in line.outcomes or (cart is not None and not cart.lines and is_broken):
        return "refused"
    if "wrong thing" in line.outcomes:
        return "wrong"
    if is_broken:
        return "limit"
    if value is not None:  # some limits are known to be broken only from all products' records
        return "limit" if "limit broken" in line.outcomes else "wrong"
    return "right" if is_kept else "open"


def _broken(doubted: Sequence[Finding], evidence_id: str | None) -> tuple[str, ...]:
    own = [finding for finding in doubted if finding.evidence_id == evidence_id]
    signs = {"error": "✗", "warning": "?"}
    return tuple(dict.fromkeys(f"{signs[finding.severity]} {finding.found or finding.text}" for finding in own))


def _counted(number: int, support: Support) -> str:
    if support == "contradicted":
        return counted(number, "false statement")
    return "1 claim not supported by its source" if number == 1 else f"{number:,} claims not supported by their sources"
