"""A query with its answers side by side, what they pick, how judges compared them, and the runs behind them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from drretail.eval.compare.one_option import agents_by_setting
from drretail.records.score import ProfileSummary, in_order, place_of
from drretail.viewer.commands import command_for
from drretail.viewer.experiment import ExperimentView, Question, RunView
from drretail.viewer.judged import Judged
from drretail.viewer.judged_pairs import PairJudgement, pairs_with_verdicts, read_pair_judgements
from drretail.viewer.page.frame import template
from drretail.viewer.page.repeated import Once
from drretail.viewer.page.run import RunPart, run_part
from drretail.viewer.page.run_lines import FailedVerdict, RunLine
from drretail.viewer.picks import PicksTable, compare_picks
from drretail.viewer.tables.ablations import setting_words
from drretail.viewer.tables.scores import system_names


@dataclass(frozen=True, slots=True)
class Rendered:
    """A question as HTML, and what the tables of a report say of its runs."""

    question: Question
    head: Markup
    body: Markup
    lines: tuple[RunLine, ...]
    failed: tuple[FailedVerdict, ...]
    """Judgements of pairs that came to nothing; those of single runs stand in the lines."""

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
class QuestionPart:
    """A query with everything its template prints."""

    question: Question
    profile: ProfileSummary | None
    answers: list[RunPart]
    """Of systems that research, their first repeat."""
    others: list[RunPart]
    """Further repeats, floors and the oracle."""
    picks: PicksTable | None
    judgements: list[PairJudgement]
    names: Mapping[str, str]
    """What systems are called, by label."""

    @property
    def judges(self) -> list[Judged]:
        """Whose marks stand in the answers, each once."""
        first = [run.view.claims[0].judged for run in self.runs if run.view.claims]
        return list({judged.by: judged for judged in first}.values())

    @property
    def runs(self) -> list[RunPart]:
        return [*self.answers, *self.others]


@dataclass(frozen=True, slots=True)
class _Web:
    """Where the pages of a system come from, one of several that differ in nothing else."""

    said: str
    beside: str
    """The first of these systems, in the order of tables."""
    at: int
    """Its place among them."""


def _webs_of(view: ExperimentView) -> Iterator[tuple[str, _Web]]:
    for settings in agents_by_setting(view.definition, "web").values():
        first = in_order(settings.values())[0]
        for at, (setting, label) in enumerate(settings.items()):
            yield label, _Web(setting_words(setting, "web"), first, at)


class Questions:
    """Renders the questions of an experiment and its runs, each by itself.

    No two share a text or an anchor, so any of them may stand on one page, or on pages of their own.
    """

    def __init__(self, view: ExperimentView) -> None:
        self._view = view
        self._webs = dict(_webs_of(view))
        self._names = {
            label: f"{name} ({self._webs[label].said})" if label in self._webs else name
            for label, name in system_names(view.definition.systems).items()
        }
        self._pairs = pairs_with_verdicts(view.folder)
        self._given = {
            "claims_command": command_for(view, "faithfulness"),
            "checks_command": command_for(view, "checks"),
        }

    def render(self, question: Question) -> Rendered:
        """One question with its answers and what stands behind them."""
        part = self._part(question)
        given = {"part": part, "once": Once(f"{question.anchor}t"), **self._given}
        return Rendered(
            question=question,
            head=Markup(template("question_head.html.jinja").render(part=part)),  # noqa: S704 — escaped by its template
            body=Markup(template("question.html.jinja").render(given)),  # noqa: S704
            lines=tuple(run.line for run in part.runs),
            failed=tuple(_failed(part.judgements)),
        )

    def render_run(self, question: Question, place: int) -> Markup:
        """One run alone with its answer; ``place`` is that of the run among all."""
        view = self._view.runs[place]
        part = run_part(view, question, self._name(view))
        given = {"run": part, "once": Once(f"{view.anchor}t"), **self._given}
        return Markup(template("lone_run.html.jinja").render(given))  # noqa: S704

    def _part(self, question: Question) -> QuestionPart:
        views = [self._view.runs[place] for place in question.places]
        runs = [run_part(view, question, self._name(view)) for view in views]
        answers = sorted((run for run in runs if _is_answer(run.view)), key=self._place)
        shown = answers or runs
        return QuestionPart(
            question=question,
            profile=next((view.subject.profile for view in views if view.subject.profile), None),
            answers=shown,
            others=[run for run in runs if run not in shown],
            picks=compare_picks([(run.name, run.cart) for run in runs if _is_compared(run.view)]),
            judgements=list(self._judgements(question, views)),
            names=self._names,
        )

    def _place(self, run: RunPart) -> tuple[int, int]:
        """Where an answer stands: systems that differ in the web alone are beside one another."""
        label = run.view.subject.label
        web = self._webs.get(label)
        return [*self._names].index(label if web is None else web.beside), 0 if web is None else web.at

    def _name(self, view: RunView) -> str:
        name, repeat = self._names[view.subject.label], view.subject.repeat
        return f"{name}, repeat {repeat}" if repeat > 1 else name

    def _judgements(self, question: Question, views: Sequence[RunView]) -> Iterator[PairJudgement]:
        for repeat in sorted({view.subject.repeat for view in views}):
            reports = {view.subject.label: view.subject.report_sha for view in views if view.subject.repeat == repeat}
            query_id = question.query.query_id
            yield from read_pair_judgements(self._view.folder, self._pairs, query_id, repeat, reports)


def _is_compared(view: RunView) -> bool:
    """Floors pick without having looked, so what they pick tells nothing of a product."""
    return view.subject.report is not None and place_of(view.subject.label) != "floor"


def _is_answer(view: RunView) -> bool:
    return view.subject.repeat == 1 and place_of(view.subject.label) in ("system", "counterfactual")


def _failed(judgements: Sequence[PairJudgement]) -> Iterator[FailedVerdict]:
    for judgement in judgements:
        for dimension in judgement.dimensions:
            for verdict in dimension.verdicts:
                if verdict.state == "failed":
                    about = f"{dimension.dimension} of {verdict.run_id} and {verdict.other_run_id}".replace("_", " ")
                    why = verdict.error or verdict.reason or "no reason given"
                    yield FailedVerdict(verdict.metric, about, verdict.judge.spec, why)
