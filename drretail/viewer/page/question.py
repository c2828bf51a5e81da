"""A question, at a glance: its limits, and of each answer what it picks, which limits that breaks, what is false; then
its answers side by side, how judges compared them, and the runs behind them.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from textwrap import shorten

from markupsafe import Markup

from drretail.conditions.shop import WEB_CONDITION
from drretail.errors import UserError
from drretail.eval.compare.ablations import agents_by_setting
from drretail.eval.judging.dimensions import PRIMARY
from drretail.experiment import path_of
from drretail.grounding.text.wording import wish_lines
from drretail.records.comparison import ORDER_DECIDED
from drretail.records.evidence import Finding
from drretail.records.run import in_order, place_of
from drretail.records.tables.figures import counted
from drretail.records.tables.table import Cell, Table, table_of
from drretail.run_file import journal_size
from drretail.viewer.cart import Cart, cart_as_read
from drretail.viewer.commands import command_for
from drretail.viewer.conversation import Talk, read_conversation
from drretail.viewer.experiment import ExperimentView, Question, RunView, two_of
from drretail.viewer.judged import (
    PairJudgement,
    Support,
    pairs_with_verdicts,
    read_pair_judgements,
    words_of_code,
)
from drretail.viewer.page.frame import (
    claim_anchor,
    finding_anchor,
    fragment,
    statement_anchor,
    talk_page_name,
)
from drretail.viewer.page.run_part import RunPart
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
from drretail.viewer.tables.false_statements import CHECKED, FalseStatement, false_statements
from drretail.viewer.tables.scores import description, model_words, system_names

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
    limits: list[str] = []
    if (wish := question.query.wish) is not None:
        # The limits on the picks, without what the shopper merely allows.
        wants = tuple(want.model_copy(update={"again": False}) for want in wish.wants)
        unlimited = {want.name for want in wants}
        lines = wish_lines(wish.model_copy(update={"wants": wants}))
        limits = [line for line in lines if line not in unlimited and not line.startswith(_NOT_A_LIMIT)]
    return QuestionCard(
        question=question,
        limits=" · ".join(limits),
        is_infeasible={answer.proof for answer in answers} == {"proved"},
        answers=tuple(
            replace(by_label[label], is_preferred=label == preferred) for label in shown if label in by_label
        ),
    )


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
    decision = _decision(view, cart, is_broken=is_broken, is_kept=bool(limits_met))
    of_products = {pick.product: _broken(doubted, f"P:{pick.product}") for pick in (cart.lines if cart else ())}
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
            one = "1 claim not supported by its source"
            count = one if len(anchors) == 1 else f"{len(anchors):,} claims not supported by their sources"
        if anchors:
            wrong.append(WrongClaims(count, support, anchors))
    faults = [*_wrong_pick(view, line, decision, of_cart)] if decision in WRONG_PICKS else []
    faults += [Fault("false", f"“{each.text}”", statement_anchor(view, each)) for each in view.false]
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


def _wrong_pick(view: RunView, line: RunLine, decision: Decision, of_cart: Sequence[str]) -> Iterator[Fault]:
    """The first error that code finds in the picks; else what is proved of the cart, or what became of it."""
    for number, finding in enumerate(view.checks.findings, 1):
        if finding.code in LIMITS and finding.severity == "error":
            words = finding.found or finding.text
            yield Fault(words_of_code(finding.code), words, finding_anchor(view, number))
            return
    proved = next((words for words in of_cart if words.startswith("✗")), "")
    yield Fault(DECISIONS[decision][1], proved.removeprefix("✗ "), f"{line.anchor}-answer")


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


def _decision(view: RunView, cart: Cart | None, *, is_broken: bool, is_kept: bool) -> Decision:
    """What became of an answer: by whether code calls it right, else by what its picks break."""
    run, case = view.run, view.subject.case
    gave_up = run is not None and run.report is not None and (run.stop != "finished" or case.no_decision is not None)
    if view.state != "done" or (cart is None and gave_up):
        return "failed"
    if view.is_right is not None and view.is_right >= 1:
        return "right"
    if case.refused_wrongly is not None or (cart is not None and not cart.lines and is_broken):
        return "refused"
    if any(each.code in WRONG_THINGS and each.severity == "error" for each in view.checks.findings):
        return "wrong"
    breaks = any(each.code in LIMITS - WRONG_THINGS - {"no_decision"} for each in view.checks.findings)
    if is_broken or view.is_right is not None:  # some limits are known to be broken only from all products' records
        return "limit" if is_broken or breaks else "wrong"
    return "right" if is_kept else "open"


def _broken(doubted: Sequence[Finding], evidence_id: str | None) -> tuple[str, ...]:
    own = [finding for finding in doubted if finding.evidence_id == evidence_id]
    signs = {"error": "✗", "warning": "?"}
    return tuple(dict.fromkeys(f"{signs[finding.severity]} {finding.found or finding.text}" for finding in own))


_WITHOUT_CHOICE = {
    "na": "not asked",
    "failed": "judging failed",
    "one order": "asked in one order alone",
    "by order": ORDER_DECIDED,
}
ALL_TALKS = 1_000_000
"""The most bytes of an experiment's packed journals with which its report contains conversations.

As text they are about five times as large.
"""
SHORT = 300
"""Texts with fewer characters are repeated, not linked."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Whether a text stands here in full, and its anchor; empty for short texts, which are never linked."""

    first: bool
    anchor: str


@dataclass(slots=True)
class Once:
    """Decides for each text of a page, in order, whether it stands here or is linked to its first place."""

    prefix: str = "t"
    """How its anchors begin."""
    _places: dict[str, str] = field(default_factory=dict[str, str])

    def __call__(self, text: str) -> Shown:
        if len(text) < SHORT:
            return Shown(first=True, anchor="")
        first = text not in self._places
        return Shown(first, self._places.setdefault(text, f"{self.prefix}{len(self._places) + 1}"))


@dataclass(frozen=True, slots=True)
class Rendered:
    """A question as HTML, and what a report's tables show of its runs."""

    question: Question
    lines: tuple[RunLine, ...]
    card: QuestionCard
    """What the top of the report shows of it."""
    false: tuple[tuple[FalseStatement, RunLine, str], ...] = ()
    """Contradicted claims of imported answers, each with its run and anchor."""
    head: Markup = field(default_factory=Markup)
    body: Markup = field(default_factory=Markup)

    @property
    def size(self) -> int:
        """Bytes of its HTML."""
        return sum(len(html.encode("utf-8", "replace")) for html in (self.head, self.body))

    def folded(self, *, is_open: bool) -> Markup:
        """The question as one of many on a page."""
        opening = Markup('<details class="question" id="{}"{}>').format(
            self.question.anchor, Markup(" open") if is_open else ""
        )
        return opening + Markup("<summary>{}</summary>{}</details>\n").format(self.head, self.body)

    def unfolded(self) -> Markup:
        """The question as the subject of a page."""
        section = Markup('<section class="question" id="{}"><div class="head">{}</div>{}</section>\n')
        return section.format(self.question.anchor, self.head, self.body)


def meeting_of(judgement: PairJudgement, names: Mapping[str, str]) -> Table:
    """How one judge compared two answers: for each dimension who is preferred, and why in each order."""
    a, b = (names[label] for label in judgement.labels)
    words = {"a": a, "b": b, "tie": "tie", **_WITHOUT_CHOICE}
    rows: list[tuple[object, ...]] = []
    by = f"by {model_words(judgement.judge.spec, judgement.judge.kind)}"
    by += "" if judgement.rules == "default" else f", rules of {judgement.rules}"
    for each in judgement.dimensions:
        reasons = Markup()
        for verdict in each.verdicts:
            order = ""
            if verdict.order:
                first, second = (a, b) if verdict.order == "ab" else (b, a)
                order = Markup('<span class="muted">Read in the order {}, {}:</span> ').format(first, second)
            winner = {"a": a, "b": b}.get(str(verdict.value))
            choice = Markup("prefers <strong>{}</strong>. ").format(winner) if winner else "finds both equal. "
            is_scored = verdict.state == "scored"
            why = verdict.reason if is_scored else verdict.error or verdict.reason
            reasons += Markup("<p>{}{}{}</p>").format(order, choice if is_scored else "", why)
        rows.append((each.dimension.replace("_", " "), words[each.choice], Cell("", html=reasons)))
        if each.dimension == PRIMARY:
            by += f": overall {'a tie' if each.choice == 'tie' else words[each.choice]}"
    title = f"{a} against {b}{f', repeat {judgement.repeat}' if judgement.repeat > 1 else ''}"
    return replace(table_of(title, ["Dimension", "Preferred", "Why, in each order"], rows), by=by)


MOST_READ = 100
"""The most runs that are read to find what a terminal shows of them."""


def fault_lines(view: ExperimentView, most: int = 3) -> Iterator[str]:
    """What to look at first, a line each: "✗ react over budget: the budget is $32 … · weighted blanket · graded-52"."""
    names = system_names(view.definition.systems, view.definition.systems)
    lines: list[RunLine] = []
    for question in view.questions:
        for place in question.places:
            label = view.planned[place].label
            if place_of(label, view.definition.systems) == "system" and len(lines) < MOST_READ:
                run = view.runs[place]
                line = run_line(run, question)
                lines.append(answer_card(names[label], run, line, cart_as_read(run.subject)[0]).line)
    for line, fault, who in first_faults(lines, most, names):
        query = line.question.query
        quote = shorten(fault.quote, 60, placeholder=" …")
        yield f"✗ {who} {fault.kind}: {quote} · {topic_of(query, 25)} · {query.query_id}"


class Questions:
    """Renders the questions of an experiment with their runs, each by itself.

    No two share a text or an anchor, so they can stand on one page or on pages of their own. With ``talk_pages``,
    conversations of runs have pages of their own; without, they stand here if all together are small.
    """

    def __init__(self, view: ExperimentView, *, talk_pages: bool = False) -> None:
        self._view = view
        self._talk_pages = talk_pages
        self._systems = view.definition.systems
        self._names = system_names(self._systems, self._systems)
        order = {label: (at, 0) for at, label in enumerate(self._names)}
        self._order = dict(order)
        """Sort keys of systems' answers: those that differ only in the web stand side by side."""
        for settings in agents_by_setting(view.definition, WEB_CONDITION).values():
            first = in_order(settings.values(), self._systems)[0]
            for at, (setting, label) in enumerate(settings.items()):
                self._order[label] = order[first][0], at
                self._names[label] += f" ({WEB_CONDITION.words(setting)})"
        self._pairs = pairs_with_verdicts(view.folder)
        self._given = {
            "claims_command": command_for(view, "faithfulness"),
            "checks_command": command_for(view, "checks"),
            "check_meanings": description(view.scores.metrics, "checks").meanings,
        }

    def render(self, question: Question) -> Rendered:
        """One question with its answers and its runs."""
        runs = [self._part(self._view.runs[place], question) for place in question.places]
        # The two that the page shows first, then the other systems, then floors, the oracle and further repeats
        first = two_of(self._view.scores.scoreboard, self._systems)
        answers = sorted(runs, key=lambda run: self._place(run, first))
        judgements = self._judgements(question, [run.view for run in runs])
        cards = [answer_card(run.name, run.view, run.line, run.cart) for run in runs]
        judges = {one.judged.by for run in runs for one in run.view.claims}
        # The judges whose marks stand in the answers; a single judge needs no naming.
        marking = [run.view.claims[0].judged for run in answers if run.view.claims and len(judges) > 1]
        rendered = self._rendered(question, [run.view for run in runs], cards, judgements)
        fields = {
            "question": question,
            "card": rendered.card,
            "preferred": {card.line.anchor for card in rendered.card.answers if card.is_preferred},
            "profile": next((run.view.subject.profile for run in runs if run.view.subject.profile), None),
            "judges": list({judged.by: judged for judged in marking}.values()),
            "answers": answers,
            "pictures": [line.image for run in runs if run.cart is not None for line in run.cart.lines],
            "meetings": [meeting_of(judgement, self._names) for judgement in judgements],
            "once": Once(f"{question.anchor}t"),
            "card_of": {run.view.anchor: card for run, card in zip(runs, cards, strict=True)},
            **self._given,
        }
        return replace(
            rendered,
            head=fragment("question_head.html.jinja", **fields),
            body=fragment("question.html.jinja", **fields),
        )

    def _place(self, run: RunPart, first: Sequence[str]) -> tuple[object, ...]:
        label, repeat = run.view.subject.label, run.view.subject.repeat
        is_system = repeat == 1 and place_of(label, self._systems) == "system"
        return repeat != 1 or label not in first, not is_system, self._order[label], repeat

    def lines(self, question: Question) -> Rendered:
        """What a report's tables show of a question's runs, without its HTML: in a third of the time."""
        views = [self._view.runs[place] for place in question.places]
        cards = [
            answer_card(self._name(view), view, run_line(view, question), cart_as_read(view.subject)[0])
            for view in views
        ]
        return self._rendered(question, views, cards, self._judgements(question, views))

    def _rendered(
        self,
        question: Question,
        views: Sequence[RunView],
        cards: Sequence[AnswerCard],
        judgements: Sequence[PairJudgement],
    ) -> Rendered:
        # By the first judge, whose marks the report shows
        false = [
            (words, card.line, statement_anchor(view, statement))
            for view, card in zip(views, cards, strict=True)
            for statement, words in false_statements(view)
        ]
        return Rendered(
            question=question,
            lines=tuple(card.line for card in cards),
            card=question_card(self._view, question, cards, judgements),
            false=tuple(false),
        )

    def _part(self, view: RunView, question: Question) -> RunPart:
        name, run = self._name(view), view.run
        if run is None or not journal_size(path_of(view.experiment, run)):
            return RunPart(view, question, name)
        if self._talk_pages:
            return RunPart(view, question, name, talk_page_name(view.number - 1))
        talks = list[Talk]()
        if self._has_room:
            with suppress(UserError):  # a damaged journal leaves the rest of the report intact
                talks = read_conversation(view.experiment, run)
        return RunPart(view, question, name, "" if talks else None, talks)

    @cached_property
    def _has_room(self) -> bool:
        """True if the journals of all runs are small enough for the report to contain them."""
        total = 0
        for experiment, planned in self._view.runs.places():
            total += journal_size(planned.path_in(experiment))
            if total > ALL_TALKS:
                return False
        return True

    def _name(self, view: RunView) -> str:
        name, repeat = self._names[view.subject.label], view.subject.repeat
        return f"{name}, repeat {repeat}" if repeat > 1 else name

    def _judgements(self, question: Question, views: Sequence[RunView]) -> list[PairJudgement]:
        judgements: list[PairJudgement] = []
        for repeat in sorted({view.subject.repeat for view in views}):
            reports = {view.subject.label: view.subject.report_sha for view in views if view.subject.repeat == repeat}
            judgements += read_pair_judgements(self._view.folder, self._pairs, question.query.query_id, repeat, reports)
        by_order = {row.by_whom for row in self._view.scores.pairs if row.contrast.outcome == "order_decided"}
        return [
            each.by_order if (each.judge.spec, each.judge.params_hash, each.rules) in by_order else each
            for each in judgements
        ]
