"""A report around its questions. The beginning: the result, the scoreboard, every answer; plots; what is false. Tables
of runs. The end: all tables, the method, how to read the report and how to repeat it.
"""

import base64
import shlex
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from markupsafe import Markup

from drretail.eval.method import method_cards
from drretail.eval.scores.facts import with_slices
from drretail.records.base import canonical_json
from drretail.records.run import System
from drretail.records.score import ShownColumn
from drretail.records.tables.figures import counted
from drretail.records.tables.table import Cell, Column, Row, Table
from drretail.viewer.commands import commands, is_demo, query_files, score_commands
from drretail.viewer.experiment import ExperimentView
from drretail.viewer.page.frame import Links, fragment
from drretail.viewer.page.outcomes import (
    are_decided,
    chips,
    outcome_map,
    page_board,
    question_dots,
    researched,
    shown_text,
)
from drretail.viewer.page.question import Rendered
from drretail.viewer.plots.drawing import Plot
from drretail.viewer.plots.experiment_plots import MOST_SERIES, finding_plots, plots_of
from drretail.viewer.run_lines import DECISIONS, OUTCOMES, FailedVerdict, RunLine
from drretail.viewer.sections import sections
from drretail.viewer.tables.result import OUTCOME, concluded, decision_of, every_measure
from drretail.viewer.tables.scoreboard import (
    INTERVALS,
    JUDGE_FAILED,
    KINDS,
    LAB,
    board_notes,
    board_table,
    conclusion,
    has_intervals,
    judge_failures,
    without_equal,
)
from drretail.viewer.tables.scores import ANSWERED, model_words, system_names
from drretail.viewer.tables.tallies import audit_table, judge_table

FIRST_FALSE = 12
"""So many false statements are in sight; the others are folded."""
LONG_MAP = 60
"""With more questions the map of answers has a scroll bar of its own."""


def render_overview(view: ExperimentView, lines: Sequence[RunLine], links: Links) -> Markup:
    """The result, the scoreboard and the map of all answers; ``lines`` are all of the report's runs, by number."""
    board = view.scores.scoreboard
    first, _ = plots_of(view, lines)
    differing, same = (None, "") if board is None else without_equal(board)
    rows = () if board is None else board.rows
    answers = researched(lines, view.definition.systems)
    table = None if differing is None else board_table(differing)
    definition = view.definition
    shop = "Imported reports."
    if definition.world_fingerprint is not None:
        # Which shop was asked, and when its clock stood.
        day = "" if definition.now is None else f" on {definition.now.date()}"
        users = len({query.user_id for query in definition.queries} - {None})
        by = f" of {counted(users, 'user')}" if users else ""
        asked = f"{counted(len(definition.queries), 'question')}{by}"
        shop = f"{asked}, asked of the shop {definition.world_fingerprint[:8]}{day}."
    return fragment(
        "overview.html.jinja",
        result=None if board is None else conclusion(board),
        decision="" if board is None or board.are_answers else decision_of(board),
        chips=chips(answers),
        names=system_names({line.label for line in answers}, view.definition.systems),
        shown_text=shown_text,
        answers=len(answers),
        shop=shop,
        level=_level(first, view, lines),
        compared=None if board is None else concluded(board),
        every_measure=None if board is None else every_measure(board),
        compare_command="" if view.beside else f"drretail compare {shlex.quote(view.name)} --details",
        table=table,
        notes=[] if differing is None else [note for note in board_notes(differing) if note not in view.lab],
        lab=view.lab,
        shown=None if differing is None or table is None else page_board(differing, table, answers),
        columns=() if board is None else board_table(board).columns,
        same=same,
        intervals=INTERVALS if table is not None and has_intervals(table) else "",
        judge_failures=[] if board is None else list(judge_failures(board)),
        lab_title=LAB,
        lab_plots=finding_plots(view.folder),
        failure=view.failure,
        outdated=view.outdated,
        score_command=" && ".join(score_commands(view)),
        has_scores=view.is_scored,
        map=None
        if view.is_of_shop
        else outcome_map(answers, links, view.definition.systems, [row.system for row in rows]),
        dots=question_dots(answers, view.definition.systems, [row.system for row in rows]),
        links=links,
        decided=are_decided(answers),
        decisions={name: DECISIONS[name] for name in DECISIONS if any(line.decision == name for line in answers)},
        used={support for line in answers for support in line.counts},
        is_long=len(view.questions) > LONG_MAP,
    )


def render_plots(view: ExperimentView, lines: Sequence[RunLine]) -> Markup:
    """Every plot but that of what was bought, which stands beside the scoreboard; empty without any."""
    first, further = plots_of(view, lines)
    plots = [plot for plot in (*first, *further) if plot not in _level(first, view, lines)]
    if not plots:
        return Markup()
    return fragment("plots.html.jinja", plots=plots)


def _level(plots: Sequence[Plot], view: ExperimentView, lines: Sequence[RunLine]) -> list[Plot]:
    """The plot of what was bought, unless there are too many systems to see it at a glance."""
    labels = {line.label for line in researched(lines, view.definition.systems)}
    return [plot for plot in plots if plot.title == OUTCOME and len(labels) <= MOST_SERIES]


def render_false_statements(view: ExperimentView, rendered: Sequence[Rendered], links: Links) -> Markup:
    """Statements of an assistant's or of imported answers that their sources contradict, the worst first.

    Empty if there are none, unless a judge has checked a shop's answers: then the section says so.
    """
    judge = next((run.false_by for run in view.runs if run.false_by), "")
    judge = judge or next((run.claims[0].judged.judge.spec for run in view.runs if run.claims), "")
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
        first=FIRST_FALSE,
        is_of_shop=view.is_of_shop,
        result="" if view.scores.scoreboard is None else conclusion(view.scores.scoreboard).can,
        is_looked_up=any(system.is_of_shop for system in view.definition.systems.values()),
        name=shlex.quote(view.name),
        by=judge,
        is_by_rules=judge.startswith("offline:"),
    )


def render_all_runs(view: ExperimentView, lines: Sequence[RunLine], links: Links) -> Markup:
    """A row for each run, by system, with the data for the search."""
    systems = view.definition.systems
    names = system_names(systems, systems)
    place = {label: at for at, label in enumerate(names)}
    lines = sorted(lines, key=lambda line: place[line.label])
    columns = (
        []
        if view.scores.scoreboard is None
        else [each for each in view.scores.scoreboard.columns if any(each.name in line.values for line in lines)]
    )

    def figure(line: RunLine, column: ShownColumn) -> str:
        value = line.values.get(column.name)
        if value is not None:
            return Cell(value, KINDS.get(column.unit, "number")).figure
        return JUDGE_FAILED if any(each.metric == column.metric for each in line.failed) else ""

    outcomes = {name: sum(name in line.outcomes for line in lines) for name in OUTCOMES}
    # Without characters that could end the element that contains it.
    index = canonical_json(word_index(lines)).replace("<", "\\u003c").replace("&", "\\u0026")
    return fragment(
        "all_runs.html.jinja",
        lines=lines,
        names=names,
        links=links,
        columns=columns,
        figure=figure,
        systems=[names[label] for label in dict.fromkeys(line.label for line in lines)],
        queries=list({line.question.query.query_id: line.question.query.text for line in lines}.items()),
        outcomes={name: count for name, count in outcomes.items() if count},
        meanings_of_outcomes=OUTCOMES,
        several_judges=len({added.by for line in lines for added in line.added}) > 1,
        index=Markup(index),  # noqa: S704
    )


def word_index(lines: Sequence[RunLine]) -> Mapping[str, list[int]]:
    """By word, the indices of its lines, each as the distance from the previous one: small, and read fast."""
    places: dict[str, list[int]] = defaultdict(list)
    last: dict[str, int] = {}
    for place, line in enumerate(lines):
        for word in line.words:
            places[word].append(place - last.get(word, 0))
            last[word] = place
    return dict(sorted(places.items()))


MOST_FAILED = 200
"""The most failed judgements shown one by one; of more, only the number is shown."""


def render_failures(lines: Sequence[RunLine], failed: Sequence[FailedVerdict], links: Links) -> Markup:
    """Runs and judgements that failed or stopped early, with reasons; empty if there are none."""
    runs = [_row(line, links, line.label, line.state, line.why) for line in lines if line.why]
    judgements = [
        _row(line, links, line.label, f"{each.metric}: {each.item}", each.why) for line in lines for each in line.failed
    ]
    judgements += [Row("a pair", (Cell(""), Cell(each.item), Cell(each.why))) for each in failed]
    if not runs and not judgements:
        return Markup()
    kinds = Counter((line.label, f"run: {line.kind}") for line in lines if line.kind)
    kinds += Counter((line.label, f"{each.metric} by {each.by}") for line in lines for each in line.failed)
    kinds += Counter(("a pair", f"{each.metric} by {each.by}") for each in failed)
    by_kind = [Row(label, (Cell(kind), Cell(count, "count"))) for (label, kind), count in kinds.most_common()]
    tables = {
        "runs": ("Runs that did not end well", "Query", ("System", "State", "Why"), runs),
        "judgements": ("Judgements that came to nothing", "About", ("System", "Judgement", "Why"), judgements),
        "by_kind": ("Failures by system and kind", "System", ("Kind", "Count"), by_kind),
    }
    return fragment(
        "failures.html.jinja",
        left_out=max(0, len(judgements) - MOST_FAILED),
        **{
            name: Table(
                title,
                tuple(map(Column, columns)),
                tuple(rows[:MOST_FAILED] if rows is judgements else rows),
                heading=heading,
            )
            for name, (title, heading, columns, rows) in tables.items()
        },
    )


def _row(line: RunLine, links: Links, *words: str) -> Row:
    name = line.question.query.query_id + (f", repeat {line.repeat}" if line.repeat > 1 else "")
    return Row(name, tuple(map(Cell, words)), meaning=line.question.query.text[:160], link=links.run(line))


T = TypeVar("T")


def render_scores(view: ExperimentView, lines: Sequence[RunLine]) -> Markup:
    """The tables of all metrics."""
    board, systems = view.scores.scoreboard, view.definition.systems
    slices = tuple(row for row in with_slices(view.folder, view.scores).slices if row.system in systems)
    shown = list(sections(view.scores.model_copy(update={"slices": slices, "systems": systems})))

    def explained(column: Column | ShownColumn) -> str:
        return column.name if column.meaning else ""

    return fragment(
        "scores.html.jinja",
        view=view,
        has_answered=any(row.manner == ANSWERED for part in shown for table in part.tables for row in table.rows),
        unexplained=_unseen(explained, [] if board is None else map(explained, board.columns)),
        unsaid=_unseen(str, () if board is None else board_notes(board)),
        sections=shown,
        stale=sum(line.stale for line in lines),
        score_command=" && ".join(score_commands(view)),
    )


def render_method(view: ExperimentView) -> Markup:
    """What was run and judged, how to read a report, and the commands that repeat it."""
    return fragment(
        "method.html.jinja",
        view=view,
        judges=judge_table(view.scores.judgings, view.scores.pairs),
        audits=audit_table(view.scores.audits),
        cards=method_cards(view.folder, view.scores),
        models={label: list(model_lines(system)) for label, system in view.definition.systems.items()},
        commands=commands(view),
        files={
            name: f"data:application/octet-stream;base64,{base64.b64encode(data).decode('ascii')}"
            for name, data in ({} if is_demo(view) else query_files(view)).items()
        },
    )


def _unseen(key: Callable[[T], str], shown: Iterable[str]) -> Callable[[Iterable[T]], list[T]]:
    """A function that returns what the page has not shown yet. ``key`` is empty for what needs no explanation."""
    seen = {"", *shown}

    def new(items: Iterable[T]) -> list[T]:
        unseen = [each for each in items if key(each) not in seen]
        seen.update(map(key, unseen))
        return unseen

    return new


def model_lines(system: System) -> Iterator[str]:
    """A line for each model of a system, with its roles if there are several models."""
    roles: dict[str, list[str]] = defaultdict(list)
    for role, model in sorted(system.models.items()):
        params = "".join(f", {name} {value}" for name, value in sorted((model.params or {}).items()))
        roles[f"{model_words(model.spec, model.kind)}{params}"].append(role)
    for words, played in roles.items():
        yield f"model: {words}" if len(roles) == 1 else f"{', '.join(played)}: {words}"
