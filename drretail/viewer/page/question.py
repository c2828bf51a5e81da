"""A query with its answers side by side, what they pick, how judges compared them, and the runs behind them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property

from markupsafe import Markup

from drretail.errors import UserError
from drretail.eval.compare.ablations import agents_by_setting
from drretail.eval.judging.dimensions import PRIMARY
from drretail.grounding.text.wishes import wish_lines
from drretail.llm.usage import estimated_note
from drretail.records.score import ProfileSummary, Verdict, in_order, place_of
from drretail.tables.table import Cell, Table, table_of
from drretail.viewer.cart import Cart, cart_as_read, compare_picks
from drretail.viewer.commands import command_for
from drretail.viewer.conversation import Talk, journal_size, read_conversation
from drretail.viewer.experiment import ClaimsView, ExperimentView, Question, RatingsView, RunView
from drretail.viewer.judged import Judged
from drretail.viewer.judged_pairs import PairJudgement, pairs_with_verdicts, read_pair_judgements
from drretail.viewer.page.agent_tree import Agent
from drretail.viewer.page.cards import (
    ClaimCard,
    EvidenceCard,
    FindingCard,
    StepCard,
    TalkLinks,
    claim_anchor,
    claim_cards,
    evidence_cards,
    finding_cards,
    research_of,
    step_cards,
)
from drretail.viewer.page.first_screen import QuestionCard, question_card
from drretail.viewer.page.frame import template
from drretail.viewer.page.links import talk_page_name
from drretail.viewer.page.report_html import report_html
from drretail.viewer.page.run_lines import FailedVerdict, RunLine, run_line
from drretail.viewer.tables.ablations import setting_words
from drretail.viewer.tables.false_statements import FalseStatement, false_statements
from drretail.viewer.tables.scores import model_words, system_names

_USAGE = {
    "calls": "Calls",
    "input_uncached": "Input",
    "cache_read": "Read from cache",
    "cache_creation": "Written to cache",
    "output": "Output",
}
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
class ClaimsPart:
    view: ClaimsView
    added: str
    """What these claims come to: "web 9.5 of 12, product 22 of 24 → FP 0.87; cited 34 of 45 → FR 0.76"."""
    cards: list[ClaimCard]


@dataclass(frozen=True, slots=True)
class RunPart:
    """A run with everything its templates print."""

    view: RunView
    name: str
    """Of its system, and which repeat it is."""
    line: RunLine
    report: Markup
    cart: Cart | None
    cart_read_by: str
    """Who read the picks of a report that declares none: "picks by form"; empty where it declares them."""
    understood: list[str]
    """How the run says that it understood the question, in lines; empty where it doesn't say."""
    wish: list[str]
    """What the query's maker typed, likewise; empty where nobody did."""
    claims: list[ClaimsPart]
    ratings: list[tuple[Judged, Table]]
    findings: list[FindingCard]
    evidence: list[EvidenceCard]
    agents: list[Agent]
    steps: list[StepCard]
    talk: str
    """The address of its conversation; empty where that is not shown."""
    talks: list[Talk]
    """The conversation where it stands on this page."""

    @property
    def tokens(self) -> int:
        return sum(usage.total for usage in self.view.run.usage.values()) if self.view.run else 0

    @property
    def usage(self) -> Table:
        """Calls and tokens by role."""
        by_role = sorted(self.view.run.usage.items()) if self.view.run else ()
        rows = ((role, *(getattr(usage, name) for name in _USAGE)) for role, usage in by_role)
        notes = estimated_note(usage for _, usage in by_role)
        return table_of("Usage", ["Role", *_USAGE.values()], rows, notes=notes)


def run_part(
    view: RunView, question: Question, name: str, talk: TalkLinks | None = None, talks: Sequence[Talk] = ()
) -> RunPart:
    """What answer.html.jinja and run.html.jinja show of a run."""
    report, line = report_html(view), run_line(view, question)
    cart, read_by = cart_as_read(view.subject)
    understood, wish = None if view.run is None else view.run.understood, question.query.wish
    return RunPart(
        view=view,
        name=name,
        line=line,
        report=report.html,
        cart=cart,
        cart_read_by=read_by,
        understood=[] if understood is None else wish_lines(understood),
        wish=[] if wish is None else wish_lines(wish),
        claims=[
            ClaimsPart(claims, each.arithmetic.words, claim_cards(view, judge, report.shown, talk))
            for judge, (claims, each) in enumerate(zip(view.claims, line.added, strict=True))
        ],
        ratings=[(ratings.judged, _rating_table(ratings)) for ratings in view.ratings],
        findings=finding_cards(view, report.shown),
        evidence=evidence_cards(view),
        agents=research_of(view).agents(),
        steps=step_cards(view, talk),
        talk="" if talk is None else talk.whole,
        talks=list(talks),
    )


def _rating_table(ratings: RatingsView) -> Table:
    rows = (
        (rating.dimension.replace("_", " "), rating.note if rating.value is None else rating.value, rating.reason)
        for rating in ratings.ratings
    )
    return table_of("Ratings", ["Dimension", "Rating", "Why"], rows)


@dataclass(frozen=True, slots=True)
class Rendered:
    """A question as HTML, and what the tables of a report say of its runs."""

    question: Question
    head: Markup
    body: Markup
    lines: tuple[RunLine, ...]
    failed: tuple[FailedVerdict, ...]
    """Judgements of pairs that came to nothing; those of single runs stand in the lines."""
    card: QuestionCard
    """What the report's first screen shows of it."""
    false: tuple[tuple[FalseStatement, RunLine, str], ...] = ()
    """Contradicted claims of imported answers, each with its run and its anchor."""

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


@dataclass(frozen=True, slots=True)
class Meeting:
    """How one judge compared two systems' answers."""

    title: str
    by: str
    """The judge, and whom it prefers overall."""
    table: Table
    """A row a dimension: who is preferred, and why in each order."""


def meeting_of(judgement: PairJudgement, names: Mapping[str, str]) -> Meeting:
    """A judgement in the systems' names."""
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
    return Meeting(title, by, table_of(title, ["Dimension", "Preferred", "Why, in each order"], rows))


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


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """A query with everything its template prints."""

    question: Question
    profile: ProfileSummary | None
    answers: list[RunPart]
    """Of systems that research, their first repeat."""
    others: list[RunPart]
    """Further repeats, floors and the oracle."""
    picks: Table | None
    meetings: list[Meeting]

    @property
    def judges(self) -> list[Judged]:
        """Whose marks stand in the answers, each once; empty where there is but one judge."""
        first = [run.view.claims[0].judged for run in self.runs if run.view.claims]
        every = {one.judged.by for run in self.runs for one in run.view.claims}
        return list({judged.by: judged for judged in first}.values()) if len(every) > 1 else []

    @property
    def runs(self) -> list[RunPart]:
        return [*self.answers, *self.others]


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
        }

    def render(self, question: Question) -> Rendered:
        """One question with its answers and what stands behind them."""
        views = [self._view.runs[place] for place in question.places]
        runs = [self._part(view, question) for view in views]
        answers = [run for run in runs if run.view.subject.repeat == 1 and _researches(run.view)]
        answers = sorted(answers, key=lambda run: self._order[run.view.subject.label]) or runs
        judgements = list(self._judgements(question, views))
        part = QuestionPart(
            question=question,
            profile=next((view.subject.profile for view in views if view.subject.profile), None),
            answers=answers,
            others=[run for run in runs if run not in answers],
            # Floors pick without having looked, so what they pick tells nothing of a product.
            picks=compare_picks(
                [
                    (run.name, run.cart)
                    for run in runs
                    if run.view.subject.report is not None and place_of(run.view.subject.label) != "floor"
                ]
            ),
            meetings=[meeting_of(judgement, self._names) for judgement in judgements],
        )
        given = {"part": part, "once": Once(f"{question.anchor}t"), **self._given}
        return Rendered(
            question=question,
            head=Markup(template("question_head.html.jinja").render(part=part)),  # noqa: S704 — escaped by its template
            body=Markup(template("question.html.jinja").render(given)),  # noqa: S704
            lines=tuple(run.line for run in part.runs),
            failed=tuple(_failed(judgements)),
            card=question_card(
                self._view, question, [(run.name, run.view, run.line, run.cart) for run in runs], judgements
            ),
            false=tuple(_false([(run.view, run.line) for run in runs])),
        )

    def lines(self, question: Question) -> Rendered:
        """What the tables of a report say of a question's runs, without the question itself: in a third of the time."""
        views = [self._view.runs[place] for place in question.places]
        lines = [run_line(view, question) for view in views]
        judgements = list(self._judgements(question, views))
        answers = [
            (self._name(view), view, line, cart_as_read(view.subject)[0])
            for view, line in zip(views, lines, strict=True)
        ]
        return Rendered(
            question=question,
            head=Markup(),
            body=Markup(),
            lines=tuple(lines),
            failed=tuple(_failed(judgements)),
            card=question_card(self._view, question, answers, judgements),
            false=tuple(_false(zip(views, lines, strict=True))),
        )

    def _part(self, view: RunView, question: Question) -> RunPart:
        name, folder, run = self._name(view), self._view.folder, view.run
        if run is None or not journal_size(folder, run):
            return run_part(view, question, name)
        if self._talk_pages:
            return run_part(view, question, name, TalkLinks(view, talk_page_name(view.number - 1)))
        talks = list[Talk]()
        if self._has_room:
            with suppress(UserError):  # a journal of another version takes nothing else from the report
                talks = read_conversation(folder, run)
        turns = frozenset(turn.step for talk in talks for turn in talk.turns if turn.step is not None)
        return run_part(view, question, name, TalkLinks(view, turns=turns) if talks else None, talks)

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

    def _judgements(self, question: Question, views: Sequence[RunView]) -> Iterator[PairJudgement]:
        for repeat in sorted({view.subject.repeat for view in views}):
            reports = {view.subject.label: view.subject.report_sha for view in views if view.subject.repeat == repeat}
            query_id = question.query.query_id
            yield from read_pair_judgements(self._view.folder, self._pairs, query_id, repeat, reports)


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
