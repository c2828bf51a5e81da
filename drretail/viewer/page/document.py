"""The report of an experiment: one self-contained file, or an index and a page for each question if it is large."""

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from markupsafe import Markup

from drretail.errors import UserError
from drretail.files import write_atomically
from drretail.progress import Bar
from drretail.tables.table import Cell
from drretail.viewer.commands import score_commands
from drretail.viewer.conversation import read_conversation
from drretail.viewer.experiment import ExperimentView, Question, RunView
from drretail.viewer.page.appendix import render_method, render_scores
from drretail.viewer.page.first_screen import render_first_screen
from drretail.viewer.page.frame import fragment, plural, whole_page
from drretail.viewer.page.links import Links, page_name
from drretail.viewer.page.question import Once, Questions, Rendered
from drretail.viewer.page.run_lines import RunLine
from drretail.viewer.page.run_tables import claims_grid, render_all_runs, render_failures
from drretail.viewer.plots.drawing import Plot
from drretail.viewer.plots.experiment_plots import (
    INTERVAL_LINES,
    ablation_plots,
    agreement_plot,
    cost_plot,
    headline_plots,
    metric_plots,
    preference_plots,
    sentence,
    tool_plot,
    whole_plots,
)
from drretail.viewer.tables.false_statements import checked_in_words
from drretail.viewer.tables.result import concluded, every_measure
from drretail.viewer.tables.scoreboard import INTERVALS, LAB, conclusion, judge_failures, printed_board, without_equal

Form = Literal["auto", "single", "split"]
LARGEST = 8_000_000
"""The most bytes of questions in a single page; a larger report becomes a folder."""
LARGEST_SINGLE = 25_000_000
"""The most bytes of a page even if a single one was asked for: browsers and mail take no larger files."""
_OPEN = 3
"""Up to this many questions are open at first; of more only the first is, so that a large page stays an overview."""
_FEW = 200
"""Up to this many answers of a shop's assistant are on its page even if nothing in them is false."""
_INDEX = "index.html"
OUR_TITLE = b" \xe2\x80\x93 drretail report</title>"
"""The end of every page's title."""
_HEAD = 8_192
"""The first bytes of a page, which contain its title."""


def page_of(view: ExperimentView) -> str:
    """The report of a view as one page, of any size."""
    return one_page(view, list(rendered_questions(view)))


def write_report(view: ExperimentView, to: Path, form: Form = "auto", bar: Bar | None = None) -> Path:
    """Writes the report and returns the file to open: ``to``, or the index of a folder of the same name beside it.

    Deletes pages of an earlier report in the other form. Raises UserError if one file was asked for and it would be
    larger than ``LARGEST_SINGLE``.
    """
    folder, links = to.with_suffix(""), Links(in_folder=True, index=_INDEX)
    if form == "auto" and view.is_of_shop:
        write_atomically(to, one_page(view, list(rendered_questions(view, bar, is_cut=True))))
        _forget([folder / _INDEX, *folder.glob("query-*.html")])
        return to
    waiting, done = list[Rendered](), list[Rendered]()
    size, is_split = 0, form == "split"
    for made in rendered_questions(view, bar):
        waiting.append(made)
        size += made.size
        is_split = is_split or (form == "auto" and size > LARGEST)
        if form == "single" and size > LARGEST_SINGLE:
            raise UserError(
                f"As one file this report would be larger than {LARGEST_SINGLE / 1e6:.0f} MB: leave --single"
                " out, and it becomes a folder with one page per query."
            )
        if is_split:
            for each in waiting:
                write_atomically(folder / page_name(each.question), question_page(view, each, links))
            done += [replace(each, head=Markup(), body=Markup()) for each in waiting]
            waiting.clear()
    if not is_split:
        write_atomically(to, one_page(view, waiting))
        _forget([folder / _INDEX, *folder.glob("query-*.html")])
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
        return to
    write_atomically(folder / _INDEX, index_page(view, done))
    kept = {page_name(each.question) for each in done}
    _forget([to, *(path for path in folder.glob("query-*.html") if path.name not in kept)])
    return folder / _INDEX


def rendered_questions(view: ExperimentView, bar: Bar | None = None, *, is_cut: bool = False) -> Iterator[Rendered]:
    """Every question of an experiment, read and rendered one at a time.

    If ``is_cut``, only its lines are rendered where nothing is false, unless there are few, and from ``LARGEST`` on.
    """
    renderer, size = Questions(view), 0
    for question in view.questions:
        made = renderer.lines(question) if is_cut else None
        if made is None or (size < LARGEST and (made.false or len(view.planned) <= _FEW)):
            made = renderer.render(question)
            size += made.size
        yield made
        if bar is not None:
            bar.advance(len(question.places))


def one_page(view: ExperimentView, rendered: Sequence[Rendered]) -> str:
    """The report as one page, made of rendered questions."""
    whole = [question for question in rendered if question.body]
    parts = [question.folded(is_open=at == 0 or len(whole) <= _OPEN) for at, question in enumerate(whole)]
    if len(whole) < len(rendered):
        note = Markup(
            '<p class="note">{:,} more answers are not on this page: <code>drretail report {} --split</code> shows all,'
            " <code>drretail export {} --format statements</code> makes a table.</p>"
        )
        parts.append(note.format(len(rendered) - len(whole), shlex.quote(view.name), shlex.quote(view.name)))
    heading = "Answers" if view.is_of_shop else "Questions"
    section = Markup('<section id="questions"><h2>{}</h2>{}</section>').format(heading, Markup().join(parts))
    return _index(view, rendered, Links(), section)


def index_page(view: ExperimentView, rendered: Sequence[Rendered]) -> str:
    """The first page of a folder, made of rendered questions."""
    links = Links(in_folder=True)
    return _index(view, rendered, links, fragment("questions.html.jinja", rendered=rendered, links=links))


def question_page(view: ExperimentView, made: Rendered, links: Links) -> str:
    """One question as a page of its own."""
    questions, number = view.questions, made.question.number
    nav = [(links.index, view.title)]
    nav += [(links.question(question), "Previous question") for question in questions[max(0, number - 2) : number - 1]]
    nav += [(links.question(question), "Next question") for question in questions[number : number + 1]]
    title = f"{made.question.query.query_id} – {view.title}"
    return whole_page(title, f"Question {number} of {len(questions)}", "", nav, [made.unfolded()])


def conversation_page(view: ExperimentView, question: Question, run: RunView, links: Links) -> str:
    """Every request to one run's models with its answer. Raises UserError if the journal can't be read."""
    talks = [] if run.run is None else read_conversation(view.folder, run.run)
    talk = fragment("conversation.html.jinja", view=run, talks=talks, once=Once(f"{run.anchor}t"))
    home = links.question(question)
    nav = [(links.index, view.title), (home, "The question and its answers"), (f"{home}#{run.anchor}", "The run")]
    heading = f"The conversation of {run.subject.label}"
    section = Markup('<section id="{}-talk">{}</section>').format(run.anchor, talk)
    return whole_page(f"{run.subject.run_id} – {view.title}", heading, question.query.text, nav, [section])


def _index(view: ExperimentView, rendered: Sequence[Rendered], links: Links, questions: Markup) -> str:
    """The report's main page, from the result to the method."""
    lines = sorted((line for question in rendered for line in question.lines), key=lambda line: line.number)
    failed = [failed for question in rendered for failed in question.failed]
    failures = render_failures(lines, failed, links)
    false = render_false_statements(view, rendered, links)
    if view.is_of_shop:
        research = Markup(
            '<details id="research"{}><summary>Scores and method, for researchers</summary>{}{}{}</details>'
        )
        parts = render_overview(view, lines, links), render_scores(view, lines), render_method(view)
        scores = research.format("" if view.scores.scores else Markup(" open"), *parts)
        nav = [("#false", "False statements"), ("#questions", "Answers"), ("#research", "For researchers")]
        lead = checked_in_words(len(lines), sum(line.checked for line in lines), sum(line.false for line in lines))
        return whole_page(view.title, view.title, lead, nav, [false, questions, failures, scores])
    sections = [
        false,
        render_first_screen(view, [question.card for question in rendered], links),
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
    n_queries, n_systems = len(view.definition.queries), len(view.definition.systems)
    asked = f"{plural(n_queries, 'query', 'queries')}, {plural(n_systems, 'system', 'systems')}"
    lacking = sum(line.state != "done" for line in lines)
    runs = f"{plural(len(lines), 'run', 'runs')}{f', {lacking:,} without a report' if lacking else ''}"
    return whole_page(view.title, view.title, f"{asked}, {runs}.", nav, sections)


def render_false_statements(view: ExperimentView, rendered: Sequence[Rendered], links: Links) -> Markup:
    """Statements of an assistant's or of imported answers that their sources contradict, the worst first.

    Empty if there are none, unless a judge has checked a shop's answers: then the section says so.
    """
    judge = next((run.false_by for run in view.runs if run.false_by), "")
    judge = judge or next((one.judged.judge.spec for run in view.runs[:1] for one in run.claims[:1]), "")
    false = [
        (statement, links.claim(line, anchor) if links.in_folder or question.body else "")
        for question in rendered
        for statement, line, anchor in question.false
    ]
    if not false and not (view.is_of_shop and judge):
        return Markup()
    lines = [line for question in rendered for line in question.lines]
    by_label = {label: [line for line in lines if line.label == label] for label in view.definition.systems}
    return fragment(
        "false_statements.html.jinja",
        statements=sorted(false, key=lambda each: each[0].rank),
        by_label={label: its for label, its in by_label.items() if its},
        is_of_shop=view.is_of_shop,
        result="" if view.scores.scoreboard is None else conclusion(view.scores.scoreboard).can,
        is_looked_up=any(system.is_of_shop for system in view.definition.systems.values()),
        name=shlex.quote(view.name),
        by=judge,
        is_by_rules=judge.startswith("offline:"),
    )


def _forget(pages: Iterable[Path]) -> None:
    """Deletes pages of an earlier report, which would mislead beside this one; other files stay."""
    for page in pages:
        if page.is_file() and OUR_TITLE in page.read_bytes()[:_HEAD]:
            page.unlink()


def render_overview(view: ExperimentView, lines: Sequence[RunLine], links: Links) -> Markup:
    """The scoreboard, its conclusions and its plots; ``lines`` are all of the report's runs, by number."""
    board = view.scores.scoreboard
    first, further = plots_of(view, lines)
    differing, same = (None, "") if board is None else without_equal(board)
    # Each plot's caption, without sentences that the page has elsewhere
    repeated = [INTERVAL_LINES, *(sentence(column.meaning) for column in (() if board is None else board.columns))]
    captions = {plot.name: plot.caption for plot in [*first, *further]}
    for words in filter(None, repeated):
        captions = {name: " ".join(caption.replace(words, "").split()) for name, caption in captions.items()}
    return fragment(
        "overview.html.jinja",
        cannot="" if board is None else conclusion(board).cannot,
        compared=None if board is None else concluded(board),
        every_measure=None if board is None else every_measure(board),
        compare_command=f"drretail compare {shlex.quote(view.name)} --details",
        board=None if differing is None else printed_board(differing, view.lab),
        columns=() if board is None else printed_board(board).table.columns,
        same=same,
        intervals=INTERVALS,
        judge_failures=[] if board is None else list(judge_failures(board)),
        lab_title=LAB,
        failure=view.failure,
        outdated=view.outdated,
        score_command=" && ".join(score_commands(view)),
        has_scores=view.is_scored,
        first_plots=first,
        more_plots=further,
        captions=captions,
        lines_of_plots=INTERVAL_LINES if any(INTERVAL_LINES in plot.caption for plot in first) else "",
        grid=None if view.is_of_shop else claims_grid(lines, links, view.definition.systems),
        used={support for line in lines for support in line.counts},
    )


def plots_of(view: ExperimentView, lines: Sequence[RunLine]) -> tuple[list[Plot], list[Plot]]:
    """An experiment's plots: first those by which systems are chosen, then the others."""
    board = view.scores.scoreboard
    first = [] if board is None else [*headline_plots(board), *filter(None, [cost_plot(board)])]
    further = [] if board is None else metric_plots(board, view.scores.scores, view.scores.metrics)
    systems = view.definition.systems
    further += [*whole_plots(view.scores.scores, view.scores.metrics, systems)]
    further += [*preference_plots(view.scores.pairs, systems)]
    # By system, the mean number of calls of each tool in runs with a report
    made: dict[str, Counter[str]] = {}
    done = [line for line in lines if line.state == "done"]
    runs = Counter(line.label for line in done)
    for line in done:
        made.setdefault(line.label, Counter()).update(line.tools)
    planned, tools = Counter(line.label for line in lines), {tool for its in made.values() for tool in its}
    calls = {
        label: {tool: Cell(its[tool] / runs[label], n=runs[label], planned=planned[label]) for tool in tools}
        for label, its in made.items()
        if its
    }
    curves, others = ablation_plots(view.scores.ablations, systems)
    further += [
        *filter(None, [agreement_plot(view.scores.agreements)]),
        *others,
        *filter(None, [tool_plot(calls, systems)]),
    ]
    return [*first, *curves], further
