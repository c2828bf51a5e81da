"""A report around its questions. The beginning: the result, the scoreboard, with what became of each answer and each
system's difference from a baseline; the map of every answer; plots; what is false. Tables of runs. The end: all tables,
the method, how to read the report and how to repeat it.
"""

import base64
import shlex
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from markupsafe import Markup

from drretail.eval.compare.wording import by_measure, name_of
from drretail.eval.method import method_cards
from drretail.eval.scores.facts import with_slices
from drretail.eval.scores.gathering import FP
from drretail.records.base import canonical_json
from drretail.records.comparison import ComparedRow
from drretail.records.run import System, Systems, place_of
from drretail.records.score import Scoreboard, ShownColumn
from drretail.records.tables.figures import counted
from drretail.records.tables.table import Cell, Column, Row, Table
from drretail.viewer.commands import commands, is_demo, query_files, score_command
from drretail.viewer.experiment import ExperimentView, Question
from drretail.viewer.judged import SEVERITY, SIGNS, WORDS
from drretail.viewer.page.frame import Links, fragment
from drretail.viewer.page.question import Rendered
from drretail.viewer.plots.drawing import Plot
from drretail.viewer.plots.experiment_plots import MOST_SERIES, plots_of
from drretail.viewer.run_lines import DECISIONS, OUTCOMES, FailedVerdict, RunLine
from drretail.viewer.sections import sections
from drretail.viewer.tables.scoreboard import (
    INTERVALS,
    JUDGE_FAILED,
    KINDS,
    LAB,
    OUTCOME,
    SPARE,
    board_notes,
    board_table,
    compared_table,
    conclusion,
    has_intervals,
    judge_failures,
)
from drretail.viewer.tables.scores import model_words, system_names
from drretail.viewer.tables.tallies import audit_table, judge_table

_WIDE, _TALL = 100, 10
"""Width and height of a bar, in units of its own."""
_LONGEST = 110


CHIPS = {"wrong": "with wrong picks", "false": "with false statements", "failed": "failed"}


@dataclass(frozen=True, slots=True)
class Chip:
    """A fault by which the page filters, with the number of answers that have it and one of these."""

    fault: str
    count: int
    words: str
    example: RunLine


def researched(lines: Iterable[RunLine], systems: Systems) -> list[RunLine]:
    """The runs of systems that research: neither floors nor the oracle."""
    return [line for line in lines if place_of(line.label, systems) == "system"]


def are_decided(lines: Iterable[RunLine]) -> bool:
    """True if it is known of some answer whether its decision is right; then runs that failed are faults, too."""
    return any(line.decision not in ("open", "failed") for line in lines)


def chips(lines: Sequence[RunLine]) -> list[Chip]:
    """What went wrong in answers, each with an example from the hardest question that has one."""
    by_question: dict[int, list[RunLine]] = defaultdict(list)
    for line in lines:
        by_question[line.question.number].append(line)
    hardest = sorted(lines, key=lambda line: _share_right(by_question[line.question.number]))
    faulty = {fault: [line for line in hardest if fault in line.faults] for fault in CHIPS}
    return [Chip(fault, len(its), CHIPS[fault], its[0]) for fault, its in faulty.items() if its]


def bar(parts: Sequence[tuple[str, int, str]], css: str) -> Markup:
    """A bar with a part for each class, count and words, as wide as its share."""
    total, x = sum(count for _, count, _ in parts), 0.0
    shown: list[Markup] = []
    for name, count, words in parts:
        width = _WIDE * count / total
        part = Markup('<rect x="{:.1f}" width="{:.1f}" height="{}" class="{}"><title>{} {}</title></rect>')
        shown.append(part.format(x, width, _TALL, name, count, words))
        x += width
    return Markup(
        '<svg class="{}" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img" aria-label="{}">{}</svg>'
    ).format(css, _WIDE, _TALL, ", ".join(f"{count} {words}" for _, count, words in parts), Markup().join(shown))


def outcome_bar(lines: Iterable[RunLine]) -> Markup:
    """What became of one system's answers, faults from the left; below it counts with signs, so it needs no colour."""
    counts = Counter(line.decision for line in lines)
    shown = [(name, counts[name], *DECISIONS[name]) for name in DECISIONS if counts[name]]
    each = Markup('<span>{} {}<span class="word"> {}</span></span> ')
    signs = Markup().join(each.format(sign, count, words) for _, count, sign, words in shown)
    below = Markup('<small class="signs" aria-hidden="true">{}</small>').format(signs)
    return bar([(f"is-{name}", count, words) for name, count, _, words in shown], "outcomes") + below


def claims_bar(line: RunLine) -> Markup:
    """The claims of one report by support, the worst from the left."""
    ordered = sorted(line.counts.items(), key=lambda each: -SEVERITY.index(each[0]))
    return bar([(support, count, WORDS[support]) for support, count in ordered], "claimbar")


def outcome_map(lines: Sequence[RunLine], links: Links, systems: Systems, order: Sequence[str]) -> Table:
    """What became of every answer: a row for each question, the hardest first, a column for each researching system.

    Each cell is one answer, with its claims as a second layer. Systems stand in this order, then those that it lacks.
    """
    names = system_names({line.label for line in lines}, systems)
    names = {label: names[label] for label in dict.fromkeys([*order, *names]) if label in names}
    runs: dict[int, list[RunLine]] = defaultdict(list)
    for line in lines:
        runs[line.question.number].append(line)
    rows: list[Row] = []
    for number in sorted(runs, key=lambda number: (_share_right(runs[number]), number)):
        question = runs[number][0].question
        of_system = {label: [line for line in runs[number] if line.label == label] for label in names}
        cells = [Markup().join(_answer(line, names[label], links) for line in its) for label, its in of_system.items()]
        rows.append(
            Row(
                shown_text(question),
                tuple(Cell("", html=html) if html else Cell("not asked") for html in cells),
                meaning=" ".join(question.query.text.split()),
                link=links.question(question),
            )
        )
    return Table("Every answer", tuple(map(Column, names.values())), tuple(rows), heading="Question, hardest first")


def question_dots(lines: Sequence[RunLine], systems: Systems, order: Sequence[str]) -> list[tuple[str, list[RunLine]]]:
    """Of two systems, the questions on which one, both or neither is right, in words; empty unless there are two."""
    names = system_names({line.label for line in lines}, systems)
    labels = [label for label in dict.fromkeys([*order, *names]) if label in names]
    if len(labels) != 2 or not are_decided(lines):
        return []
    ways = (True, False), (False, True), (True, True), (False, False)
    groups: dict[tuple[bool, ...], list[RunLine]] = {way: [] for way in ways}
    firsts = {(line.question.number, line.label): line for line in lines if line.repeat == 1}
    for number in sorted({number for number, _ in firsts}):
        pair = [firsts[number, label] for label in labels if (number, label) in firsts]
        if len(pair) == 2:
            groups[tuple(line.decision == "right" for line in pair)].append(pair[0])
    a, b = (names[label] for label in labels)
    words = f"only {a} is right", f"only {b} is right", "both are right", "neither is right"
    return [(text, answers) for text, answers in zip(words, groups.values(), strict=True) if answers]


def shown_text(question: Question) -> str:
    """The beginning of what was asked, in one line."""
    text = " ".join(question.query.text.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rpartition(' ')[0]} …"


def _share_right(lines: Sequence[RunLine]) -> float:
    return sum(line.decision == "right" for line in lines) / len(lines)


def _answer(line: RunLine, name: str, links: Links) -> Markup:
    sign, words = DECISIONS[line.decision]
    claims = claims_bar(line) if line.counts else line.lacks_claims
    false = f", {counted(line.false, 'false statement')}" if line.false else ""
    return Markup(
        '<a class="cell is-{}" href="{}" data-run="{}" data-is="{}" title="{}: {}{}">'
        '<span class="sign" aria-hidden="true">{}{}</span><span class="unseen">{}</span>'
        '<span class="layer">{}</span></a>'
    ).format(
        line.decision,
        links.answer(line),
        line.run_id,
        " ".join(line.faults),
        name,
        words,
        false,
        sign,
        SIGNS["contradicted"] if line.false else "",
        f"{words}{false}",
        claims,
    )


_AXIS, _HIGH = 110.0, 14.0
_NEEDED = frozenset((FP, "false statements", "false answers"))
"""Columns on the truth of statements, which are always in sight."""
_ROUND = (0.1, 0.25, 0.5, 1.0)
"""Ends of the axis of differences."""


@dataclass(frozen=True, slots=True)
class PageBoard:
    """The table of systems that research, what stands behind "all columns", and whom they can be compared with."""

    table: Table
    rest: tuple[int, ...]
    """The indices of columns that are hidden at first."""
    baseline: str
    """The name of the system that the others are compared with; empty if none are compared."""


def page_board(board: Scoreboard, table: Table, lines: Sequence[RunLine]) -> PageBoard:
    """The table with each system's outcomes, and its difference from the baseline, as further columns."""
    # What was bought, or the first measure that is compared.
    named = {name_of(measure[0]): measure for measure in by_measure(board.compared)}
    measure = named.get(OUTCOME) or next(iter(named.values()), None)
    baseline = "" if measure is None else measure[0].b
    added: list[tuple[Column, list[Cell | None]]] = []
    if are_decided(lines):
        meaning = "what became of the answers: faults from the left, right answers last"
        answers = [[line for line in lines if line.label == row.label] for row in table.rows]
        bars = [Cell("", html=outcome_bar(own)) if own else None for own in answers]
        added.append((Column("outcomes", meaning=meaning), bars))
    names = {row.label: row.name for row in table.rows}
    if measure is not None:
        ends = [each for row in measure for each in (row.difference, row.ci_low, row.ci_high) if each is not None]
        reached = max(map(abs, ends), default=0.0)
        end = next((end for end in _ROUND if reached <= end), reached)
        compared = {row.a: row for row in measure if row.difference is not None}
        differences = [
            Cell("", html=_difference(compared[row.label], end))
            if row.label in compared
            else Cell("baseline")
            if row.label == baseline
            else None
            for row in table.rows
        ]
        meaning = f"its mean minus that of {names.get(baseline, baseline)}, over the questions that both have"
        added.append((Column(f"difference in {name_of(measure[0])}", meaning=meaning), differences))
    decides = [at for at, column in enumerate(board.columns) if column.decides][:1]
    others = [at for at in range(len(board.columns)) if at not in decides]
    columns = [*(table.columns[at] for at in decides), *(column for column, _ in added)]
    columns += [table.columns[at] for at in others]
    rows = [
        replace(
            row,
            cells=(
                *(row.cells[at] for at in decides),
                *(cells[place] for _, cells in added),
                *(row.cells[at] for at in others),
            ),
        )
        for place, row in enumerate(table.rows)
    ]
    offset = len(decides) + len(added)
    # In sight: what a system decides, whether what it says is true, its rating, and its cost.
    needed = {
        at
        for at, column in enumerate(board.columns)
        if column.decides or column.name in _NEEDED or column.unit in ({"rating", *SPARE} - {"words"})
    }
    rest = tuple(offset + place for place, at in enumerate(others) if at not in needed)
    return PageBoard(replace(table, columns=tuple(columns), rows=tuple(rows)), rest, names.get(baseline, ""))


def _difference(row: ComparedRow, end: float) -> Markup:
    """A dot with its interval around zero; full if the difference is more than chance."""
    value = row.difference or 0.0
    low, high = (value if each is None else each for each in (row.ci_low, row.ci_high))
    cell = Cell(value, "signed", row.ci_low, row.ci_high)

    def at(number: float) -> float:
        return _AXIS / 2 * (1 + max(-1.0, min(1.0, number / end)))

    svg = Markup(
        '<svg class="forest" viewBox="-5 0 {} {}" role="img" aria-label="{}, {}"><line x1="{}" x2="{}" y1="0" y2="{}"'
        ' class="zero"/><line x1="{:.1f}" x2="{:.1f}" y1="7" y2="7" class="s0"/><circle cx="{:.1f}" cy="7" r="4"'
        ' class="{}"/></svg> <span class="interval">{}</span>'
    )
    return svg.format(
        _AXIS + 10,
        _HIGH,
        cell.whole,
        "more than chance" if row.is_shown else "may be chance",
        _AXIS / 2,
        _AXIS / 2,
        _HIGH,
        at(low),
        at(high),
        at(value),
        "s0" if row.is_shown else "s0 hollow",
        cell.whole,
    )


FIRST_FALSE = 12
"""So many false statements are in sight; the others are folded."""
LONG_MAP = 60
"""With more questions the map of answers has a scroll bar of its own."""


def render_overview(view: ExperimentView, lines: Sequence[RunLine], links: Links) -> Markup:
    """The result, the scoreboard and the map of all answers; ``lines`` are all of the report's runs, by number."""
    board = view.scores.scoreboard
    first, _ = plots_of(view, lines)
    rows = () if board is None else board.rows
    answers = researched(lines, view.definition.systems)
    table = None if board is None else board_table(board)
    definition = view.definition
    names = system_names({line.label for line in answers}, definition.systems)
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
        result=[] if board is None else conclusion(board),
        chips=chips(answers),
        names=names,
        shown_text=shown_text,
        answers=len(answers),
        shop=shop,
        level=_level(first, view, lines),
        compared=None if board is None else compared_table(board.compared, names),
        compare_command="" if view.beside else f"drretail compare {shlex.quote(view.name)} --details",
        table=table,
        notes=[] if board is None else [note for note in board_notes(board) if note not in view.lab],
        lab=view.lab,
        shown=None if board is None or table is None else page_board(board, table, answers),
        columns=() if table is None else table.columns,
        intervals=INTERVALS if table is not None and has_intervals(table) else "",
        judge_failures=[] if board is None else list(judge_failures(board)),
        lab_title=LAB,
        outdated=view.outdated,
        score_command=score_command(view),
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
        result="" if view.scores.scoreboard is None else " ".join(conclusion(view.scores.scoreboard)),
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
        several_judges=len({by for line in lines for by in line.added}) > 1,
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
    sliced = with_slices(view.folder, view.scores)
    slices = tuple(row for row in sliced.slices if row.system in systems)
    shown = list(sections(view.scores.model_copy(update={"slices": slices, "systems": systems})))

    def explained(column: Column | ShownColumn) -> str:
        return column.name if column.meaning else ""

    return fragment(
        "scores.html.jinja",
        view=view,
        unexplained=_unseen(explained, [] if board is None else map(explained, board.columns)),
        unsaid=_unseen(str, () if board is None else board_notes(board)),
        sections=shown,
        stale=sum(line.stale for line in lines),
        score_command=score_command(view),
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
