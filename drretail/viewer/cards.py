"""A question and its answers at a glance, without HTML: its limits, and of each answer what it picks, which limits that
breaks, what is false, what became of it; and what to look at first.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import shorten

from drretail.eval.judging.dimensions import PRIMARY
from drretail.eval.metric import NOT_KNOWN
from drretail.records.account import Account
from drretail.records.evidence import Finding
from drretail.records.figures import counted
from drretail.records.run import place_of
from drretail.viewer.cart import CartLines, cart_as_read
from drretail.viewer.experiment import (
    TURN,
    ExperimentView,
    QueryRuns,
    RunView,
    claim_anchor,
    finding_anchor,
    statement_anchor,
    two_of,
)
from drretail.viewer.judged import PairJudgement, Support, words_of_code
from drretail.viewer.run_lines import (
    DECISIONS,
    FAILED,
    LIMITS,
    WRONG_PICKS,
    WRONG_THINGS,
    Decision,
    Fault,
    RunLine,
    first_faults,
    proof_of,
    run_line,
    topic_of,
)
from drretail.viewer.tables.false_statements import CHECKED
from drretail.viewer.tables.scores import system_names
from drretail.viewer.wishes import wish_lines

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
    cart: CartLines | None
    """None if the report's picks are unknown."""
    broken: Mapping[str | None, tuple[str, ...]]
    """The limits that each product breaks ("✗ …"), or may break ("? …"), by its id.

    Under None stand those of the whole cart, such as the budget.
    """
    limits_met: str
    """For example "✓ Meets every limit", or of which limits that is not known.

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

    question: QueryRuns
    limits: str
    """The limits on the picks in one line; empty if the query has no typed wish."""
    is_infeasible: bool
    """True if checking every product proved that nothing meets the limits."""
    answers: tuple[AnswerCard, ...]


def question_card(
    view: ExperimentView, question: QueryRuns, answers: Sequence[AnswerCard], judgements: Sequence[PairJudgement]
) -> QuestionCard:
    """The card with the first repeat of the two systems to show first, of all answers to the question."""
    shown = two_of(view.scores.scoreboard, view.definition.systems)
    by_label = {answer.line.label: answer for answer in answers if answer.line.repeat == 1}
    # The system that the first judge of both prefers overall; None if neither
    preferred = None
    first = next(
        (judgement for judgement in judgements if judgement.repeat == 1 and set(judgement.labels) == set(shown)), None
    )
    if first is not None:
        choice = next((dimension.choice for dimension in first.dimensions if dimension.dimension == PRIMARY), None)
        preferred = {"a": first.labels[0], "b": first.labels[1]}.get(choice or "")
    limits: list[str] = []
    if (wish := question.query.wish) is not None:
        unlimited = {want.name for want in wish.wants}
        limits = [line for line in wish_lines(wish) if line not in unlimited and not line.startswith(_NOT_A_LIMIT)]
    return QuestionCard(
        question=question,
        limits=" · ".join(limits),
        is_infeasible={answer.proof for answer in answers} == {"proved"},
        answers=tuple(
            replace(by_label[label], is_preferred=label == preferred) for label in shown if label in by_label
        ),
    )


def answer_card(name: str, view: RunView, line: RunLine, cart: CartLines | None) -> AnswerCard:
    """What the first screen and the question's page say of one answer."""
    proof, limits_met, has_wish = proof_of(view), "", line.question.query.wish is not None
    doubted = [finding for finding in view.checks.findings if finding.code in LIMITS]
    is_broken = any(finding.severity == "error" for finding in doubted)
    of_cart = tuple(f"{words[:2]}{words[2:3].upper()}{words[3:]}" for words in _broken(doubted, None))
    limits = _limits(view)
    if view.subject.is_turn:
        of_cart = (f"✗ {view.parts[TURN].reason}",) if view.is_right == 0 else ()
        limits = Account("measuring", "turn", 1, int(bool(view.is_right)))
        limits_met = "right after this turn" if view.is_right else ""
    # The proof over every product may contradict what was bought, or that nothing was
    elif cart is not None and cart.picks and proof == "proved" and not is_broken:
        of_cart += ("✗ Nothing in the shop meets every limit",)
    elif cart is not None and not cart.picks and proof == "refuted":
        of_cart += ("✗ The shop has products that meet every limit",)
    is_broken = is_broken or any(words.startswith("✗") for words in of_cart)
    if cart and not view.subject.is_turn and not of_cart and not doubted and has_wish and view.checks.made:
        limits_met = "meets every limit" if cart.picks else "breaks no limit"
        if not cart.picks and proof == "proved":
            limits_met, limits = "right: nothing in the shop meets every limit", Account("proof", "question", 1, 1)
    decision = _decision(view, cart, is_broken=is_broken)
    if limits_met:
        limits_met = f"{limits.sign} {limits.praise(limits_met, bare=True).removesuffix('.')}"
    of_products = {pick.product: _broken(doubted, f"P:{pick.product}") for pick in (cart.picks if cart else ())}
    broken = {None: of_cart, **of_products}
    # By the first judge's verdicts, the worst first.
    claims = view.claims[0].claims if view.claims else ()
    wrong: list[WrongClaims] = []
    for support in _WRONG:
        anchors = tuple(claim_anchor(view, 0, claim) for claim in claims if claim.support == support)
        if support == "contradicted":
            anchors = tuple(statement_anchor(view, statement) for statement in view.false)
        count = counted(len(anchors), "false statement")
        if support != "contradicted":
            single = "1 claim not supported by its source"
            count = single if len(anchors) == 1 else f"{len(anchors):,} claims not supported by their sources"
        if anchors:
            wrong.append(WrongClaims(count, support, anchors))
    faults = [*_wrong_pick(view, line, decision, of_cart)] if decision in WRONG_PICKS else []
    faults += [Fault("false", f"“{statement.text}”", statement_anchor(view, statement)) for statement in view.false]
    if decision == "failed":
        kind = FAILED if view.state != "done" else "no decision"
        faults.append(Fault(kind, line.why or "it does not say what to buy", f"{line.anchor}-answer"))
    return AnswerCard(
        name=name,
        line=replace(line, decision=decision, faults=tuple(faults)),
        cart=cart,
        broken=broken,
        limits_met=limits_met,
        supported=_supported(view, line),
        wrong=tuple(wrong),
        proof=proof,
    )


def _limits(view: RunView) -> Account:
    """The checks of the picks against the question's limits: which were made, and what is not known for the others."""
    made = sum(code in LIMITS for code in view.checks.made)
    account = Account("checks", "limit", made, made)
    for verdict in view.checks.not_made:
        if verdict.item in LIMITS and NOT_KNOWN in verdict.notes:
            account.take()
            account.leave_out(verdict.reason, verdict.item)
    return account


def _wrong_pick(view: RunView, line: RunLine, decision: Decision, of_cart: Sequence[str]) -> Iterator[Fault]:
    """What is wrong with a turn; of a question the first error that code finds in the picks; else what is proved of the
    cart, what code could not see, such as an unknown price, or why the picks are not called right.
    """
    if view.is_right == 0 and view.subject.is_turn:
        yield Fault(f"turn {len(view.subject.earlier) + 1}", view.parts[TURN].reason, f"{line.anchor}-answer")
        return
    of_picks = [(number, each) for number, each in enumerate(view.checks.findings, 1) if each.code in LIMITS]
    errors = [(number, each) for number, each in of_picks if each.severity == "error"]
    proved = next((words for words in of_cart if words.startswith("✗")), "")
    for number, finding in errors or ([] if proved else of_picks):
        yield Fault(words_of_code(finding.code), finding.found or finding.text, finding_anchor(view, number))
        return
    why = proved.removeprefix("✗ ") or view.why_not_right or "the picks do not meet what is asked for"
    yield Fault(DECISIONS[decision][1], why, f"{line.anchor}-answer")


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


def _decision(view: RunView, cart: CartLines | None, *, is_broken: bool) -> Decision:
    """What became of an answer: right where the board counts it as right, else by what its picks break."""
    run, case = view.run, view.subject.case
    if run is None:  # it is not made yet
        return "open"
    gave_up = run.report is not None and (run.stop != "finished" or case.no_decision is not None)
    if view.state != "done" or (cart is None and gave_up):
        return "failed"
    if view.is_right is not None and view.is_right >= 1:
        return "right"
    if view.subject.is_turn:
        return "open" if view.is_right is None else "wrong" if cart and cart.picks else "refused"
    if case.refused_wrongly is not None or (cart is not None and not cart.picks and is_broken):
        return "refused"
    if any(finding.code in WRONG_THINGS and finding.severity == "error" for finding in view.checks.findings):
        return "wrong"
    breaks = any(finding.code in LIMITS - WRONG_THINGS - {"no_decision"} for finding in view.checks.findings)
    if is_broken or view.is_right is not None:  # some limits are known to be broken only from all products' records
        return "limit" if is_broken or breaks else "wrong"
    return "open"


def _broken(doubted: Sequence[Finding], evidence_id: str | None) -> tuple[str, ...]:
    doubts = [finding for finding in doubted if finding.evidence_id == evidence_id]
    signs = {"error": "✗", "warning": "?"}
    return tuple(dict.fromkeys(f"{signs[finding.severity]} {finding.found or finding.text}" for finding in doubts))


LINE = 100
"""The width of a fault's line."""
MOST_READ = 1_000
"""The most runs that are read to find what a terminal shows of them."""


def fault_lines(view: ExperimentView, most: int = 3) -> Iterator[str]:
    """What to look at first, a line each: "✗ react over budget: the budget is $32 … · weighted blanket · graded-52"."""
    names = system_names(view.definition.systems, view.definition.systems)
    lines: list[RunLine] = []
    for question in view.questions:
        for place in question.places:
            label = view.planned[place].label
            if place_of(label, view.definition.systems) != "system" or len(lines) >= MOST_READ:
                continue
            if (run := view.runs[place]).run is not None:  # what is not made yet is no fault of the system
                line = run_line(run, question)
                lines.append(answer_card(names[label], run, line, cart_as_read(run.subject)[0]).line)
    for line, fault, who in first_faults(lines, most, names):
        query = line.question.query
        head, tail = f"✗ {who} {fault.kind}:", f"· {topic_of(query, 25)} · {query.query_id}"
        quote = shorten(fault.quote, max(30, LINE - len(head) - len(tail) - 2), placeholder=" …")
        yield f"{head} {quote} {tail}"
