"""The report of an experiment: one self-contained file, or an index and a page for each question if it is large.
Tables and scores are also HTML for a notebook's cells.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from markupsafe import Markup

from drretail.errors import UserError
from drretail.files import write_atomically
from drretail.progress import Bar
from drretail.records.score import Scores
from drretail.viewer.drawing.table import Table
from drretail.viewer.experiment import ExperimentView
from drretail.viewer.page.frame import Links, fragment, page_name, whole_page
from drretail.viewer.page.overview import (
    render_false_statements,
    render_map,
    render_method,
    render_overview,
    render_scores,
)
from drretail.viewer.page.question import Questions, RenderedQuestion
from drretail.viewer.run_lines import looked_at
from drretail.viewer.tables.board import BoardTables, about_words
from drretail.viewer.tables.false_statements import checked_in_words

Form = Literal["auto", "single", "split"]
LARGEST = 8_000_000
"""The most bytes of questions in a single page; a larger report becomes a folder."""
LARGEST_SINGLE = 25_000_000
"""The most bytes of a page even if a single one was asked for: browsers and mail take no larger files."""
INDEX = "index.html"
OUR_TITLE = b" \xe2\x80\x93 drretail report</title>"
"""The end of every page's title."""
_HEAD = 8_192
"""The first bytes of a page, which contain its title."""


def write_report_page(view: ExperimentView, to: Path, form: Form = "auto", bar: Bar | None = None) -> Path:
    """Writes the report and returns the file to open: ``to``, or the index of a folder of the same name beside it.

    Deletes pages of an earlier report in the other form. Raises UserError if one file was asked for and it would be
    larger than ``LARGEST_SINGLE``.
    """
    folder, links = to.with_suffix(""), Links(in_folder=True, index=INDEX)
    waiting, done = list[RenderedQuestion](), list[RenderedQuestion]()
    size, is_split = 0, form == "split"
    for rendered in rendered_questions(view, bar):
        waiting.append(rendered)
        size += rendered.size
        is_split = is_split or (form == "auto" and size > LARGEST)
        if form == "single" and size > LARGEST_SINGLE:
            raise UserError(
                f"As one file this report would be larger than {LARGEST_SINGLE / 1e6:.0f} MB: leave --single"
                " out, and it becomes a folder with one page per query."
            )
        if is_split:
            for page in waiting:
                write_atomically(folder / page_name(page.question), question_page(view, page, links))
            done += [replace(page, head=Markup(), body=Markup()) for page in waiting]
            waiting.clear()
    if not is_split:
        page = one_page(view, waiting)
        write_atomically(to, page)
        _forget([folder / INDEX, *folder.glob("query-*.html")])
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
        return to
    write_atomically(folder / INDEX, index_page(view, done))
    names = {page_name(page.question) for page in done}
    _forget([to, *(path for path in folder.glob("query-*.html") if path.name not in names)])
    return folder / INDEX


def rendered_questions(view: ExperimentView, bar: Bar | None = None) -> Iterator[RenderedQuestion]:
    """Every question of an experiment, read and rendered one at a time."""
    renderer = Questions(view)
    for question in view.questions:
        yield renderer.render(question)
        if bar is not None:
            bar.advance(len(question.places))


def one_page(view: ExperimentView, rendered: Sequence[RenderedQuestion]) -> str:
    """The report as one page, made of rendered questions."""
    first = first_of(rendered)
    parts = [question.folded(is_open=question is first) for question in rendered]
    return _index(view, rendered, Links(), _questions(view, parts))


def first_of(rendered: Sequence[RenderedQuestion]) -> RenderedQuestion | None:
    """The question to show first: the first with a fault, else the first. None without questions."""
    with_fault = (page for page in rendered if any(line.faults for line in page.lines))
    return next(with_fault, next(iter(rendered), None))


def index_page(view: ExperimentView, rendered: Sequence[RenderedQuestion]) -> str:
    """The first page of a folder, made of rendered questions; it has the first of them whole."""
    first = first_of(rendered)
    parts = [] if first is None else [Questions(view).render(first.question).folded(is_open=True)]
    return _index(view, rendered, Links(in_folder=True), _questions(view, parts))


def _questions(view: ExperimentView, parts: Sequence[Markup]) -> Markup:
    heading = "Answers" if view.is_of_shop else "One question, two answers"
    return fragment("questions.html.jinja", heading=heading, parts=parts)


def question_page(view: ExperimentView, rendered: RenderedQuestion, links: Links) -> str:
    """One question as a page of its own."""
    questions, number = view.questions, rendered.question.number
    nav = [(links.index, view.title)]
    nav += [(links.question(question), "Previous question") for question in questions[max(0, number - 2) : number - 1]]
    nav += [(links.question(question), "Next question") for question in questions[number : number + 1]]
    title = f"{rendered.question.query.query_id} – {view.title}"
    return whole_page(title, f"Question {number} of {len(questions)}", "", nav, [rendered.unfolded()])


def _index(view: ExperimentView, rendered: Sequence[RenderedQuestion], links: Links, questions: Markup) -> str:
    lines = sorted((line for question in rendered for line in question.lines), key=lambda line: line.number)
    false = render_false_statements(view, rendered, links)
    about = about_words(view.definition, view.scores.scoreboard)
    lead = ""
    if view.is_of_shop:
        contested = sum(len(line.contested) for line in lines)
        unchecked = sum(len(line.unchecked) for line in lines)
        checked, contradicted = sum(line.checked for line in lines), sum(line.false for line in lines)
        lead = checked_in_words(looked_at(lines), checked, contradicted, contested, unchecked)
    sections = [
        render_overview(view, lines, links, false + render_map(view, lines, links)),
        questions,
        render_scores(view, lines),
        render_method(view),
    ]
    return whole_page(view.title, view.title, lead, [], sections, about)


def _forget(pages: Iterable[Path]) -> None:
    """Deletes pages of an earlier report, which would mislead beside this one; other files stay."""
    for page in pages:
        if page.is_file() and OUR_TITLE in page.read_bytes()[:_HEAD]:
            page.unlink()


def table_cell(table: Table, notes: Sequence[str] = ()) -> str:
    """A table in the notebook's own style, with its title above it and its notes below."""
    drawn = fragment("notebook_table.html.jinja", table=table)
    below = Markup("").join(map(table_note, notes))
    return Markup("<p><strong>{}</strong></p>{}{}").format(table.full_title, drawn, below)


def table_note(text: str) -> Markup:
    return Markup("<p><small>{}</small></p>").format(text)


def scores_cell(scores: Scores) -> str:
    """The board, or a line if nothing is scored."""
    if scores.scoreboard is None:
        return "Nothing is scored yet."
    board = scores.scoreboard
    tables_of = BoardTables(board)
    lead = Markup("<p>{}</p>").format(" ".join([*board.not_read, board.sentence]))
    tables = (table_cell(table, table.notes) for table in tables_of.tables)
    notes = map(table_note, filter(None, [tables_of.tested, *tables_of.absent]))
    return str(Markup("").join([lead, *map(Markup, tables), *notes]))
