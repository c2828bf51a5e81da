"""A report around its questions. The first screen: the sentence, the picture, what to look at first. Below it the map
of every answer, the board's tables, and in folds all tables, the method, how to read the report and how to repeat it.
"""

import base64
import shlex
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import TypeVar

from markupsafe import Markup

from drretail.eval.method import method_cards
from drretail.records.account import Account
from drretail.records.figures import counted
from drretail.records.run import System, Systems, place_of
from drretail.viewer.commands import commands, is_demo, query_files, score_command
from drretail.viewer.drawing.markup import latex_of
from drretail.viewer.drawing.result import Section, account_table
from drretail.viewer.drawing.table import Cell, Column, Row, Table, csv_of
from drretail.viewer.experiment import ExperimentView, QueryRuns, accounts_of
from drretail.viewer.judged import SEVERITY, SIGNS, WORDS
from drretail.viewer.page.frame import Links, fragment
from drretail.viewer.page.picture import headlines
from drretail.viewer.page.question import RenderedQuestion
from drretail.viewer.run_lines import DECISIONS, RunLine, first_faults, looked_at, topic_of
from drretail.viewer.sections import board_sections, sections
from drretail.viewer.tables.board import (
    BOUNDED,
    COST,
    FEW_SYSTEMS,
    LAB,
    BoardTables,
    board_notes,
    cut_names,
)
from drretail.viewer.tables.false_statements import CHECKED
from drretail.viewer.tables.scores import model_words, system_names
from drretail.viewer.tables.tallies import audit_table, judge_table

_WIDE, _TALL = 100, 10
"""Width and height of a bar, in units of its own."""
_LONGEST = 110


def _researched(lines: Iterable[RunLine], systems: Systems) -> list[RunLine]:
    """The runs of systems that research: neither floors nor the oracle."""
    return [line for line in lines if place_of(line.label, systems) == "system"]


def are_decided(lines: Iterable[RunLine]) -> bool:
    """True if it is known of some answer whether its decision is right; then runs that failed are faults, too."""
    return any(line.decision not in ("open", "failed") for line in lines)


def nothing_judged(lines: Iterable[RunLine]) -> int:
    """How many claims these answers cite sources for, if none of them was judged and no decision either; else 0."""
    lines = [*lines]
    cited = sum(count for line in lines for support, count in line.counts.items() if support != "uncited")
    judged = any(support in CHECKED for line in lines for support in line.counts)
    return 0 if judged or are_decided(lines) else cited


def claims_bar(line: RunLine) -> Markup:
    """The claims of one report by support, the worst from the left, each as wide as its share."""
    ordered = sorted(line.counts.items(), key=lambda pair: -SEVERITY.index(pair[0]))
    total, x = sum(line.counts.values()), 0.0
    shown: list[Markup] = []
    for support, count in ordered:
        width = _WIDE * count / total
        part = Markup('<rect x="{:.1f}" width="{:.1f}" height="{}" class="{}"><title>{} {}</title></rect>')
        shown.append(part.format(x, width, _TALL, support, count, WORDS[support]))
        x += width
    return Markup(
        '<svg class="claimbar" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img" aria-label="{}">{}</svg>'
    ).format(_WIDE, _TALL, ", ".join(f"{count} {WORDS[support]}" for support, count in ordered), Markup().join(shown))


def outcome_map(lines: Sequence[RunLine], links: Links, systems: Systems, order: Sequence[str]) -> Table:
    """What became of every answer: a row for each question, that of most faults first, or for each turn in order, and a
    column for each researching system.

    Each cell is one answer, with its claims as a second layer. Systems stand in this order, then those that it lacks.
    """
    names = system_names({line.label for line in lines}, systems)
    names = {label: names[label] for label in dict.fromkeys([*order, *names]) if label in names}
    runs: dict[int, list[RunLine]] = defaultdict(list)
    for line in lines:
        runs[line.question.number].append(line)
    rows: list[Row] = []
    faulty = {number: sum(bool(line.faults) for line in its) for number, its in runs.items()}
    faults = {number: sum(len(line.faults) for line in its) for number, its in runs.items()}
    are_turns = any(line.question.query.after for line in lines)
    for number in sorted(runs, key=lambda at: (0, 0, at) if are_turns else (-faulty[at], -faults[at], at)):
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
    heading = "Turn" if are_turns else "Question, most faults first"
    return Table("Every answer", tuple(map(Column, names.values())), tuple(rows), heading=heading)


def shown_text(question: QueryRuns) -> str:
    """The beginning of what was asked, in one line."""
    text = " ".join(question.query.text.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rpartition(' ')[0]} …"


def _answer(line: RunLine, name: str, links: Links) -> Markup:
    sign, words = DECISIONS[line.decision]
    claims = claims_bar(line) if line.counts else line.lacks_claims
    false = f", {counted(line.false, 'false statement')}" if line.false else ""
    return Markup(
        '<a class="cell is-{}" href="{}" data-run="{}" data-faults="{}" title="{}: {}{}">'
        '<span class="sign" aria-hidden="true">{}{}</span><span class="unseen">{}</span>'
        '<span class="layer">{}</span></a>'
    ).format(
        line.decision,
        links.answer(line),
        line.run_id,
        "|".join(dict.fromkeys(fault.kind for fault in line.faults)),
        name,
        words,
        false,
        sign,
        SIGNS["contradicted"] if line.false else "",
        f"{words}{false}",
        claims,
    )


FIRST_FALSE = 12
"""So many false statements are in sight; the others are folded."""
SHORT_MAP = 12
"""With so many questions at most the map of answers is open."""
LONG_MAP = 60
"""With more questions the map of answers has a scroll bar of its own."""


LONGEST_NAME = 24
"""In characters: of many systems, names beside the paper's columns are cut to it."""
LOOKED_AT = 4
"""The most faults that the first screen quotes."""


def render_overview(view: ExperimentView, lines: Sequence[RunLine], links: Links, between: Markup) -> Markup:
    """The first screen, what stands ``between``, and the board's tables; ``lines`` are all of the report's runs, by
    number.
    """
    board = view.scores.scoreboard
    answers = [line for line in _researched(lines, view.definition.systems) if line.state in ("done", "failed")]
    tables = [] if board is None else BoardTables(board, paper=True).tables
    full = None if board is None else BoardTables(board, full=True)
    made = None if board is None else BoardTables(board)
    is_many = made is not None and len(made.systems) > FEW_SYSTEMS
    said = {note for table in tables for note in table.notes}
    notes = [] if made is None else [made.tested, *made.absent]
    all_answers, others = looked_at(answers), looked_at(line for line in answers if not line.faults)
    sentence, _, more = ("" if board is None else board.sentence).partition(". ")
    return fragment(
        "overview.html.jinja",
        between=between,
        not_read=() if board is None else board.not_read,
        sentence=sentence and sentence.removesuffix(".") + ".",
        more=more,
        tables=[tables[0], *map(_narrow, tables[1:])] if is_many and tables else tables,
        picture=[] if full is None else [*headlines(full)],
        baseline="" if full is None else full.names.get(full.baseline, ""),
        is_many=is_many,
        baselines=[] if made is None else [(row.system, made.names[row.system]) for row in made.systems],
        notes=[note for note in notes if note and note not in said],
        has_paper=any(row.place == "paper" for table in tables for row in table.rows),
        copies={
            "LaTeX": latex_of([] if made is None else made.tables),
            "CSV": csv_of([] if full is None else full.tables),
        },
        faults=first_faults(answers, LOOKED_AT, system_names(view.definition.systems, view.definition.systems)),
        faulty=sum(bool(line.faults) for line in answers),
        kinds=fault_kinds(answers),
        unlooked=all_answers.left_out,
        next_commands=[*next_commands(view)],
        answers=len(answers),
        name=shlex.quote(view.name),
        unjudged=nothing_judged(answers),
        unchecked=sum(len(line.contested + line.unchecked) for line in answers) if view.is_of_shop else 0,
        found_nothing=all_answers.praise("no fault was found"),
        without_fault=others.came and others.praise("no fault was found"),
        topic_of=topic_of,
        accounts=account_table([*accounts_of(view.folder, view.scores), _made(lines)]),
        outdated=view.outdated,
        score_command=score_command(view),
        links=links,
    )


def fault_kinds(lines: Iterable[RunLine]) -> dict[str, int]:
    """How many answers have each kind of fault, the most frequent first."""
    kinds = Counter(kind for line in lines for kind in {fault.kind for fault in line.faults})
    return dict(kinds.most_common())


def next_commands(view: ExperimentView) -> Iterator[tuple[str, str]]:
    """What shows more of this experiment: in words, and the command."""
    board, folder = view.scores.scoreboard, shlex.quote(view.name)
    if board is not None and board.judge.judge_kind == "rule_based":
        yield "what code can't decide", f"drretail score {folder} --judge PROVIDER:MODEL"
    if board is not None and board.compared:
        yield "every difference, with its n", f"drretail compare {folder} --details"
        yield "how many questions would show one", f"drretail compare {folder} --estimate"


def _made(lines: Iterable[RunLine]) -> Account:
    """What became of the planned runs."""
    account = Account("run", "run")
    for line in lines:
        account.take()
        if line.state == "done":
            account.use()
        else:
            account.leave_out(line.state, line.run_id)
    return account


def _narrow(table: Table) -> Table:
    """The table with names that fit beside many columns; each is whole in the table of decisions."""
    names = cut_names([row.name for row in table.rows], LONGEST_NAME)
    return replace(table, rows=tuple(replace(row, name=name) for row, name in zip(table.rows, names, strict=True)))


def render_map(view: ExperimentView, lines: Sequence[RunLine], links: Links) -> Markup:
    """What became of every answer, folded."""
    board, answers = view.scores.scoreboard, _researched(lines, view.definition.systems)
    order = [] if board is None else [row.system for row in board.rows]
    table = outcome_map(answers, links, view.definition.systems, order)
    return fragment(
        "map.html.jinja",
        map=table,
        decided=are_decided(answers),
        decisions={name: DECISIONS[name] for name in DECISIONS if any(line.decision == name for line in answers)},
        used={support for line in answers for support in line.counts},
        kinds=fault_kinds(answers),
        faulty=sum(bool(line.faults) for line in answers),
        is_long=len(view.questions) > LONG_MAP,
        is_short=len(table.rows) <= SHORT_MAP,
    )


def render_false_statements(view: ExperimentView, rendered: Sequence[RenderedQuestion], links: Links) -> Markup:
    """Statements of an assistant's or of imported answers that their sources contradict, the worst first.

    Empty if there are none, unless a judge has checked a shop's answers: then the section says so.
    """
    judge = next((run.false_by for run in view.runs if run.false_by), None)
    judge = judge or next((run.claims[0].judged.judge for run in view.runs if run.claims), None)
    false = [
        (statement, links.claim(line, anchor)) for question in rendered for statement, line, anchor in question.false
    ]
    if not false and not (view.is_of_shop and judge):
        return Markup()
    lines = [line for question in rendered for line in question.lines]
    unchecked = [(words, line) for line in lines for words in line.unchecked] if view.is_of_shop else []
    contested = [(words, line) for line in lines for words in line.contested] if view.is_of_shop else []
    return fragment(
        "false_statements.html.jinja",
        statements=sorted(false, key=lambda pair: pair[0].rank),
        several=len({line.label for line in lines}) > 1,
        first=FIRST_FALSE,
        contested=contested,
        unchecked=unchecked,
        links=links,
        is_of_shop=view.is_of_shop,
        is_looked_up=any(system.is_of_shop for system in view.definition.systems.values()),
        name=shlex.quote(view.name),
        by="" if judge is None else judge.spec,
        is_by_rules=judge is not None and judge.follows_rules,
    )


T = TypeVar("T")


def render_scores(view: ExperimentView, lines: Sequence[RunLine]) -> Markup:
    """All tables: the board's with every interval, floors, costs and differences, then those of all metrics."""
    board, systems = view.scores.scoreboard, view.definition.systems
    shown: list[Section] = [] if board is None else [*board_sections(board)]
    shown += sections(view.scores.model_copy(update={"systems": systems}))
    notes = [] if board is None else [note for note in board_notes(board) if note not in view.lab]
    return fragment(
        "scores.html.jinja",
        view=view,
        inside=list(_inside(view, shown)),
        unexplained=_unseen(_explained),
        unsaid=_unseen(str),
        sections=shown,
        notes={title: its for title, its in {"Notes": notes, LAB: view.lab}.items() if its},
        compare_command=f"drretail compare {shlex.quote(view.name)} --details",
        stale=sum(line.stale for line in lines),
        score_command=score_command(view),
    )


def _inside(view: ExperimentView, sections: Sequence[Section]) -> Iterator[str]:
    """What the fold of all tables has besides the first screen's, in a word each."""
    titles = {section.title for section in sections}
    yield from (title.casefold() for title in (BOUNDED, COST) if title in titles)
    board = view.scores.scoreboard
    tests = 0 if board is None else sum(row.p is not None for row in board.compared)
    yield from [counted(tests, "test")] if tests else []


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
        version=version("drretail"),
        files={
            name: f"data:application/octet-stream;base64,{base64.b64encode(data).decode('ascii')}"
            for name, data in ({} if is_demo(view) else query_files(view)).items()
        },
    )


def _explained(column: Column) -> str:
    return column.name if column.meaning else ""


def _unseen(key: Callable[[T], str]) -> Callable[[Iterable[T]], list[T]]:
    """A function that returns what the page has not shown yet. ``key`` is empty for what needs no explanation."""
    seen = {""}

    def new(items: Iterable[T]) -> list[T]:
        unseen = [item for item in items if key(item) not in seen]
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
