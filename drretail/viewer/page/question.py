"""A question at a glance, then its answers side by side, how judges compared them, and the runs behind them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from markupsafe import Markup

from drretail.conditions.shop import WEB_CONDITION
from drretail.eval.judging.dimensions import PRIMARY
from drretail.eval.numbers.ablations import agents_by_setting
from drretail.records.comparison import ORDER_DECIDED
from drretail.records.run import in_order, place_of
from drretail.viewer.cards import AnswerCard, QuestionCard, answer_card, question_card
from drretail.viewer.cart import cart_as_read
from drretail.viewer.commands import command_for
from drretail.viewer.drawing.table import Cell, Table, table_of
from drretail.viewer.experiment import ExperimentView, QueryRuns, RunView, statement_anchor, two_of
from drretail.viewer.judged import PairJudgement, pairs_with_verdicts, read_pair_judgements
from drretail.viewer.page.frame import fragment
from drretail.viewer.page.run_part import RunPart
from drretail.viewer.run_lines import RunLine, run_line
from drretail.viewer.tables.false_statements import FalseStatement, false_statements
from drretail.viewer.tables.scores import description, model_words, system_names

_WITHOUT_CHOICE = {
    "na": "not asked",
    "failed": "judging failed",
    "one order": "asked in one order alone",
    "by order": ORDER_DECIDED,
}
SHORT = 300
"""Texts with fewer characters are repeated, not linked."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """Whether a text stands here in full, and its anchor; empty for short texts, which are never linked."""

    first: bool
    anchor: str


@dataclass(slots=True)
class Once:
    """Decides for each text of a page, in order, whether it stands here or is linked to its first place."""

    prefix: str = "t"
    """How its anchors begin."""
    _places: dict[str, str] = field(default_factory=dict[str, str])

    def __call__(self, text: str) -> _Shown:
        if len(text) < SHORT:
            return _Shown(first=True, anchor="")
        first = text not in self._places
        return _Shown(first, self._places.setdefault(text, f"{self.prefix}{len(self._places) + 1}"))


@dataclass(frozen=True, slots=True)
class RenderedQuestion:
    """A question as HTML, and what a report's tables show of its runs."""

    question: QueryRuns
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
    for dimension in judgement.dimensions:
        reasons = Markup()
        for verdict in dimension.verdicts:
            order = ""
            if verdict.order:
                first, second = (a, b) if verdict.order == "ab" else (b, a)
                order = Markup('<span class="muted">Read in the order {}, {}:</span> ').format(first, second)
            winner = {"a": a, "b": b}.get(str(verdict.value))
            choice = Markup("prefers <strong>{}</strong>. ").format(winner) if winner else "finds both equal. "
            is_scored = verdict.state == "scored"
            why = verdict.reason if is_scored else verdict.error or verdict.reason
            reasons += Markup("<p>{}{}{}</p>").format(order, choice if is_scored else "", why)
        rows.append((dimension.dimension.replace("_", " "), words[dimension.choice], Cell("", html=reasons)))
        if dimension.dimension == PRIMARY:
            by += f": overall {'a tie' if dimension.choice == 'tie' else words[dimension.choice]}"
    title = f"{a} against {b}{f', repeat {judgement.repeat}' if judgement.repeat > 1 else ''}"
    return replace(table_of(title, ["Dimension", "Preferred", "Why, in each order"], rows), by=by)


class Questions:
    """Renders the questions of an experiment with their runs, each by itself.

    No two share a text or an anchor, so they can stand on one page or on pages of their own.
    """

    def __init__(self, view: ExperimentView) -> None:
        self._view = view
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

    def render(self, question: QueryRuns) -> RenderedQuestion:
        """One question with its answers and its runs."""
        runs = [
            RunPart(view, question, self._name(view)) for view in (self._view.runs[place] for place in question.places)
        ]
        # The two that the page shows first, then the other systems, then floors, the oracle and further repeats
        first = two_of(self._view.scores.scoreboard, self._systems)
        answers = sorted(runs, key=lambda run: self._place(run, first))
        judgements = self._judgements(question, [run.view for run in runs])
        cards = [answer_card(run.name, run.view, run.line, run.cart) for run in runs]
        judges = {claims.judged.by for run in runs for claims in run.view.claims}
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

    def lines(self, question: QueryRuns) -> RenderedQuestion:
        """What a report's tables show of a question's runs, without its HTML: in a third of the time."""
        views = [self._view.runs[place] for place in question.places]
        cards = [
            answer_card(self._name(view), view, run_line(view, question), cart_as_read(view.subject)[0])
            for view in views
        ]
        return self._rendered(question, views, cards, self._judgements(question, views))

    def _rendered(
        self,
        question: QueryRuns,
        views: Sequence[RunView],
        cards: Sequence[AnswerCard],
        judgements: Sequence[PairJudgement],
    ) -> RenderedQuestion:
        # By the first judge, whose marks the report shows
        false = [
            (words, card.line, statement_anchor(view, statement))
            for view, card in zip(views, cards, strict=True)
            for statement, words in false_statements(view)
        ]
        return RenderedQuestion(
            question=question,
            lines=tuple(card.line for card in cards),
            card=question_card(self._view, question, cards, judgements),
            false=tuple(false),
        )

    def _name(self, view: RunView) -> str:
        name, repeat = self._names[view.subject.label], view.subject.repeat
        return f"{name}, repeat {repeat}" if repeat > 1 else name

    def _judgements(self, question: QueryRuns, views: Sequence[RunView]) -> list[PairJudgement]:
        judgements: list[PairJudgement] = []
        for repeat in sorted({view.subject.repeat for view in views}):
            reports = {view.subject.label: view.subject.report_sha for view in views if view.subject.repeat == repeat}
            judgements += read_pair_judgements(self._view.folder, self._pairs, question.query.query_id, repeat, reports)
        by_order = {row.by_whom for row in self._view.scores.pairs if row.contrast.outcome == "order_decided"}
        return [
            judgement.by_order
            if (judgement.judge.spec, judgement.judge.params_hash, judgement.rules) in by_order
            else judgement
            for judgement in judgements
        ]
