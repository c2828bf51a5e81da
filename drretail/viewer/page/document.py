"""The report of an experiment: one self-contained file, or an index and a page a question where that would be large."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from markupsafe import Markup

from drretail.files import write_atomically
from drretail.progress import Bar
from drretail.viewer.experiment import ExperimentView, Question, read_view
from drretail.viewer.page.all_runs import render_all_runs, render_failures
from drretail.viewer.page.appendix import render_method, render_scores
from drretail.viewer.page.frame import plural, template, whole_page
from drretail.viewer.page.links import FolderOfPages, Links, OnePage, page_name
from drretail.viewer.page.overview import render_overview
from drretail.viewer.page.question import Questions, Rendered
from drretail.viewer.page.repeated import Once
from drretail.viewer.page.run_lines import FailedVerdict, RunLine

Form = Literal["auto", "single", "split"]
LARGEST = 8_000_000
"""Bytes of a page; what would be larger becomes a folder."""
_OPEN = 3
"""So many questions are open at first; of more only the first is, so that a large page stays an overview."""
_INDEX = "index.html"


class TooLargeError(Exception):
    """One page would be larger than asked for; ``runs`` are those that it had come to."""

    def __init__(self, runs: int) -> None:
        super().__init__()
        self.runs = runs


def render_page(experiment: Path) -> str:
    """The page of an experiment folder; the same folder always gives the same page.

    Raises UserError where there is no experiment.
    """
    return page_of(read_view(experiment))


def page_of(view: ExperimentView, *, largest: int | None = None, bar: Bar | None = None) -> str:
    """The one page of a view; TooLargeError where its questions alone take more than ``largest`` bytes."""
    links, once, size, runs = OnePage(), Once(), 0, 0
    questions, renderer = view.questions, Questions(view, links)
    rendered: list[Rendered] = []
    for question in questions:
        made = renderer.render(question, once, is_open=question.number == 1 or len(questions) <= _OPEN)
        rendered.append(made)
        size += len(made.html.encode("utf-8", "replace"))
        if largest is not None and size > largest:
            raise TooLargeError(runs)
        runs += len(question.places)
        if bar is not None:
            bar.advance(len(question.places))
    lines, failed = _told(rendered)
    section = Markup('<section id="questions"><h2>Questions</h2>{}</section>')
    return _index(view, lines, failed, links, section.format(Markup().join(it.html for it in rendered)))


def write_report(view: ExperimentView, to: Path, form: Form = "auto", bar: Bar | None = None) -> Path:
    """Writes the report and gives what to open: ``to``, or the index of a folder beside it that is named like it."""
    folder, told = to.with_suffix(""), 0
    if form != "split":
        try:
            text = page_of(view, largest=LARGEST if form == "auto" else None, bar=bar)
        except TooLargeError as large:
            told = large.runs
        else:
            write_atomically(to, text)
            return to
    for name, text in pages_of(view, bar, told):
        write_atomically(folder / name, text)
    to.unlink(missing_ok=True)  # an earlier report there would be older than these pages
    _forget(folder, {page_name(question) for question in view.questions})
    return folder / _INDEX


def pages_of(view: ExperimentView, bar: Bar | None = None, told: int = 0) -> Iterator[tuple[str, str]]:
    """The pages of a folder by file name, each made when its turn comes, the index last.

    The first ``told`` runs have moved the bar already.
    """
    questions, renderer = view.questions, Questions(view, FolderOfPages(index=_INDEX))
    rendered, ended = list[Rendered](), 0
    for at, question in enumerate(questions):
        made = renderer.render(question, Once())
        rendered.append(made)
        yield page_name(question), question_page(view, made.html, question, questions[max(0, at - 1) : at + 2])
        ended += len(made.lines)
        if bar is not None:
            bar.advance(max(0, ended - max(told, ended - len(question.places))))
    yield _INDEX, index_page(view, rendered)


def index_page(view: ExperimentView, rendered: Sequence[Rendered]) -> str:
    """The page that begins a folder, of questions that are rendered already, each as its own page has it."""
    lines, failed = _told(rendered)
    return _index(view, lines, failed, FolderOfPages(), _listed(view.questions, lines, FolderOfPages()))


def question_page(view: ExperimentView, html: Markup, question: Question, around: Sequence[Question]) -> str:
    """The page of one question in a folder; ``around`` are it and those before and after it."""
    links = FolderOfPages(index=_INDEX)
    nav = [(links.index, view.title)]
    for other, word in ((-1, "Previous question"), (1, "Next question")):
        nav += [(links.question(it), word) for it in around if it.number == question.number + other]
    title = f"{question.query.query_id} – {view.title}"
    return whole_page(title, f"Question {question.number} of {view.title}", "", nav, [html])


def _index(
    view: ExperimentView,
    lines: Sequence[RunLine],
    failed: Sequence[FailedVerdict],
    links: Links,
    questions: Markup,
) -> str:
    """The page that begins with the answer and ends with the method."""
    failures = render_failures(lines, failed, links)
    sections = [
        render_overview(view, lines, links),
        questions,
        render_all_runs(view, lines, links),
        render_scores(view, lines),
        failures,
        render_method(view),
    ]
    nav = [("#questions", "Questions"), ("#runs", "Runs"), ("#scores", "Scores")]
    nav += [("#failures", "Failures")] if failures else []
    nav += [("#method", "Method"), ("#reading", "How to read it"), ("#repeat", "How to repeat it")]
    return whole_page(view.title, view.title, _lead(view, lines), nav, sections)


def _lead(view: ExperimentView, lines: Sequence[RunLine]) -> str:
    """How much was asked of how many."""
    asked, systems = len(view.definition.queries), len(view.definition.systems)
    said = f"{plural(asked, 'query', 'queries')}, {plural(systems, 'system', 'systems')}"
    lacking = sum(line.state != "done" for line in lines)
    runs = f"{plural(len(lines), 'run', 'runs')}{f', {lacking:,} without a report' if lacking else ''}"
    return f"{said}, {runs}."


def _told(rendered: Sequence[Rendered]) -> tuple[list[RunLine], list[FailedVerdict]]:
    lines = sorted((line for it in rendered for line in it.lines), key=lambda line: line.number)
    return lines, [failed for it in rendered for failed in it.failed]


def _listed(questions: Sequence[Question], lines: Sequence[RunLine], links: Links) -> Markup:
    """The questions of a folder with links to their pages."""
    by_question: dict[int, list[RunLine]] = {question.number: [] for question in questions}
    for line in lines:
        by_question[line.question.number].append(line)
    listed = [(question, by_question[question.number]) for question in questions]
    return Markup(template("questions.html.jinja").render(listed=listed, links=links))  # noqa: S704 — escaped


def _forget(folder: Path, names: set[str]) -> None:
    """Takes pages away that an earlier report had and this one has not."""
    for path in folder.glob("query-*.html"):
        if path.name not in names:
            path.unlink()
