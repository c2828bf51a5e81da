"""A query with its answers side by side, what they pick, how judges compared them, and the runs behind them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property

from markupsafe import Markup

from drretail.errors import UserError
from drretail.eval.compare.ablations import agents_by_setting
from drretail.eval.judging.dimensions import PRIMARY
from drretail.records.score import Verdict, in_order, place_of
from drretail.tables.table import Cell, Table, table_of
from drretail.viewer.cart import Cart, cart_as_read, compare_picks
from drretail.viewer.commands import command_for
from drretail.viewer.conversation import Talk, journal_size, read_conversation
from drretail.viewer.experiment import ExperimentView, Question, RunView
from drretail.viewer.judged_pairs import PairJudgement, pairs_with_verdicts, read_pair_judgements
from drretail.viewer.page.first_screen import QuestionCard, question_card
from drretail.viewer.page.frame import template
from drretail.viewer.page.links import claim_anchor, talk_page_name
from drretail.viewer.page.run_lines import FailedVerdict, RunLine, run_line
from drretail.viewer.page.run_part import RunPart
from drretail.viewer.tables.ablations import setting_words
from drretail.viewer.tables.false_statements import FalseStatement, false_statements
from drretail.viewer.tables.scores import description, model_words, system_names

_WITHOUT_CHOICE = {"na": "not asked", "failed": "judging failed", "one order": "asked in one order alone"}
ALL_TALKS = 1_000_000
"""Bytes of the packed journals of an experiment whose report holds its conversations: some five times that as text."""
SHORT = 300
"""Characters that are sooner repeated than looked up."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Whether a text stands here, and the anchor of where it does; no anchor where nothing leads to it."""

    first: bool
    anchor: str


@dataclass(slots=True)
class Once:
    """Asked of every text of a page in its order."""

    prefix: str = "t"
    """What its anchors begin with."""
    _places: dict[str, str] = field(default_factory=dict[str, str])

    def __call__(self, text: str) -> Shown:
        if len(text) < SHORT:
            return Shown(first=True, anchor="")
        first = text not in self._places
        return Shown(first, self._places.setdefault(text, f"{self.prefix}{len(self._places) + 1}"))


@dataclass(frozen=True, slots=True)
class Rendered:
    """A question as HTML, and what the tables of a report say of its runs."""

    question: Question
    lines: tuple[RunLine, ...]
    failed: tuple[FailedVerdict, ...]
    """Judgements of pairs that came to nothing; those of single runs stand in the lines."""
    card: QuestionCard
    """What the report's first screen shows of it."""
    false: tuple[tuple[FalseStatement, RunLine, str], ...] = ()
    """Contradicted claims of imported answers, each with its run and its anchor."""
    head: Markup = field(default_factory=Markup)
    body: Markup = field(default_factory=Markup)

    @property
    def size(self) -> int:
        """In bytes."""
        return sum(len(html.encode("utf-8", "replace")) for html in (self.head, self.body))

    def folded(self, *, is_open: bool) -> Markup:
        """As one of many on a page."""
        opening = Markup('<details class="question" id="{}"{}>').format(
            self.question.anchor, Markup(" open") if is_open else ""
        )
        return opening + Markup("<summary>{}</summary>{}</details>\n").format(self.head, self.body)

    def unfolded(self) -> Markup:
        """As what a page is about."""
        section = Markup('<section class="question" id="{}"><div class="head">{}</div>{}</section>\n')
        return section.format(self.question.anchor, self.head, self.body)

    def without_html(self) -> "Rendered":
        """What is left to be told of it when its page is written."""
        return replace(self, head=Markup(), body=Markup())


def meeting_of(judgement: PairJudgement, names: Mapping[str, str]) -> Table:
    """How one judge compared two systems' answers: a row a dimension, who is preferred, and why in each order."""
    a, b = (names[label] for label in judgement.labels)
    words = {"a": a, "b": b, "tie": "tie", **_WITHOUT_CHOICE}
    rows: list[tuple[object, ...]] = []
    by = f"by {model_words(judgement.judge.spec, judgement.judge.kind)}"
    by += "" if judgement.rules == "default" else f", rules of {judgement.rules}"
    for each in judgement.dimensions:
        reasons = Markup().join(_reason(verdict, a, b) for verdict in each.verdicts)
        rows.append((each.dimension.replace("_", " "), words[each.choice], Cell("", html=reasons)))
        if each.dimension == PRIMARY:
            by += f": overall {'a tie' if each.choice == 'tie' else words[each.choice]}"
    title = f"{a} against {b}{f', repeat {judgement.repeat}' if judgement.repeat > 1 else ''}"
    return replace(table_of(title, ["Dimension", "Preferred", "Why, in each order"], rows), by=by)


def _reason(verdict: Verdict, a: str, b: str) -> Markup:
    order = ""
    if verdict.order:
        first, second = (a, b) if verdict.order == "ab" else (b, a)
        order = Markup('<span class="muted">Read in the order {}, {}:</span> ').format(first, second)
    if verdict.state != "scored":
        return Markup("<p>{}{}</p>").format(order, verdict.error or verdict.reason)
    winner = {"a": a, "b": b}.get(str(verdict.value))
    choice = Markup("prefers <strong>{}</strong>.").format(winner) if winner else "finds both equal."
    return Markup("<p>{}{} {}</p>").format(order, choice, verdict.reason)


class Questions:
    """Renders the questions of an experiment and its runs, each by itself.

    No two share a text or an anchor, so any of them may stand on one page, or on pages of their own. Conversations of
    runs stand on pages of their own with ``talk_pages``; without, they stand here where all together are small.
    """

    def __init__(self, view: ExperimentView, *, talk_pages: bool = False) -> None:
        self._view = view
        self._talk_pages = talk_pages
        self._names = dict(system_names(view.definition.systems))
        order = {label: (at, 0) for at, label in enumerate(self._names)}
        self._order = dict(order)
        """Where the answers of a system stand: those that differ in the web alone are beside one another."""
        for settings in agents_by_setting(view.definition, "web").values():
            first = in_order(settings.values())[0]
            for at, (setting, label) in enumerate(settings.items()):
                self._order[label] = order[first][0], at
                self._names[label] += f" ({setting_words(setting, 'web')})"
        self._pairs = pairs_with_verdicts(view.folder)
        self._given = {
            "claims_command": command_for(view, "faithfulness"),
            "checks_command": command_for(view, "checks"),
            "check_meanings": description(view.metrics, "checks").meanings,
        }

    def render(self, question: Question) -> Rendered:
        """One question with its answers and what stands behind them."""
        runs = [self._part(self._view.runs[place], question) for place in question.places]
        researched = [run for run in runs if run.view.subject.repeat == 1 and _researches(run.view)]
        answers = sorted(researched, key=lambda run: self._order[run.view.subject.label]) or runs
        others = [run for run in runs if run not in answers]
        judgements = self._judgements(question, [run.view for run in runs])
        # Floors pick without having looked, so what they pick tells nothing of a product.
        picking = [
            (run.name, run.cart)
            for run in runs
            if run.view.subject.report is not None and place_of(run.view.subject.label) != "floor"
        ]
        judges = {one.judged.by for run in runs for one in run.view.claims}
        # Whose marks stand in the answers; where there is but one judge, nobody asks.
        marking = [run.view.claims[0].judged for run in (*answers, *others) if run.view.claims and len(judges) > 1]
        given = {
            "question": question,
            "profile": next((run.view.subject.profile for run in runs if run.view.subject.profile), None),
            "judges": list({judged.by: judged for judged in marking}.values()),
            "answers": answers,
            "others": others,
            "picks": compare_picks(picking),
            "meetings": [meeting_of(judgement, self._names) for judgement in judgements],
            "once": Once(f"{question.anchor}t"),
            **self._given,
        }
        made = [(run.name, run.view, run.line, run.cart) for run in runs]
        return replace(
            self._rendered(question, made, judgements),
            head=Markup(template("question_head.html.jinja").render(given)),  # noqa: S704 — escaped by its template
            body=Markup(template("question.html.jinja").render(given)),  # noqa: S704
        )

    def lines(self, question: Question) -> Rendered:
        """What the tables of a report say of a question's runs, without the question itself: in a third of the time."""
        views = [self._view.runs[place] for place in question.places]
        made = [(self._name(view), view, run_line(view, question), cart_as_read(view.subject)[0]) for view in views]
        return self._rendered(question, made, self._judgements(question, views))

    def _rendered(
        self,
        question: Question,
        runs: Sequence[tuple[str, RunView, RunLine, Cart | None]],
        judgements: Sequence[PairJudgement],
    ) -> Rendered:
        return Rendered(
            question=question,
            lines=tuple(line for _, _, line, _ in runs),
            failed=tuple(_failed(judgements)),
            card=question_card(self._view, question, runs, judgements),
            false=tuple(_false((view, line) for _, view, line, _ in runs)),
        )

    def _part(self, view: RunView, question: Question) -> RunPart:
        name, folder, run = self._name(view), self._view.folder, view.run
        if run is None or not journal_size(folder, run):
            return RunPart(view, question, name)
        if self._talk_pages:
            return RunPart(view, question, name, talk_page_name(view.number - 1))
        talks = list[Talk]()
        if self._has_room:
            with suppress(UserError):  # a journal of another version takes nothing else from the report
                talks = read_conversation(folder, run)
        return RunPart(view, question, name, "" if talks else None, talks)

    @cached_property
    def _has_room(self) -> bool:
        """Whether the journals of all runs are small enough for the report to hold."""
        total = 0
        for planned in self._view.planned:
            total += journal_size(self._view.folder, planned)
            if total > ALL_TALKS:
                return False
        return True

    def _name(self, view: RunView) -> str:
        name, repeat = self._names[view.subject.label], view.subject.repeat
        return f"{name}, repeat {repeat}" if repeat > 1 else name

    def _judgements(self, question: Question, views: Sequence[RunView]) -> list[PairJudgement]:
        found: list[PairJudgement] = []
        for repeat in sorted({view.subject.repeat for view in views}):
            reports = {view.subject.label: view.subject.report_sha for view in views if view.subject.repeat == repeat}
            found += read_pair_judgements(self._view.folder, self._pairs, question.query.query_id, repeat, reports)
        return found


def _researches(view: RunView) -> bool:
    return place_of(view.subject.label) in ("system", "counterfactual")


def _false(runs: Iterable[tuple[RunView, RunLine]]) -> Iterator[tuple[FalseStatement, RunLine, str]]:
    """Those of each run, by the judge whose marks stand first, with the anchors of their claims."""
    for view, line in runs:
        anchors = {claim.number: claim_anchor(view, 0, claim) for claims in view.claims[:1] for claim in claims.claims}
        for statement in false_statements(view):
            yield statement, line, anchors[statement.claim]


def _failed(judgements: Sequence[PairJudgement]) -> Iterator[FailedVerdict]:
    for judgement in judgements:
        for dimension in judgement.dimensions:
            for verdict in dimension.verdicts:
                if verdict.state == "failed":
                    about = f"{dimension.dimension} of {verdict.run_id} and {verdict.other_run_id}".replace("_", " ")
                    why = verdict.error or verdict.reason or "no reason given"
                    yield FailedVerdict(verdict.metric, about, verdict.judge.spec, why)
