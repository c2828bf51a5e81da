"""An experiment in the form of the paper: every table that it has numbers for, and how it differs; also as Markdown.
Datasets and costs: Tables 4 and 5, Figures 4 and 5. Verdicts and agreement: Tables 1 and 2, Figure 6, Appendices D, E.
"""

import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from statistics import mean, median, stdev
from typing import Any, TypeVar

from drretail.agents.running.spending import words_of
from drretail.env.world import World
from drretail.eval.ballots import read_votes
from drretail.eval.judging.dimensions import DIMENSIONS
from drretail.eval.scores.board import Board, read_board
from drretail.eval.scores.file import read_scores
from drretail.eval.scores.gathering import Assessor, is_panel, means_by_query
from drretail.experiment import Definition, path_of, read_definition, read_runs
from drretail.grounding.report.render import WordCount
from drretail.querygen.lint import Linter
from drretail.querygen.reading import WORLD as DEMO
from drretail.records.comparison import ORDER_DECIDED, PairScore
from drretail.records.query import Query
from drretail.records.run import NINE, Run, System
from drretail.records.score import CODE, PANEL, Score, Scores
from drretail.records.tables.figures import counted
from drretail.records.tables.markup import markdown_table
from drretail.records.tables.table import Cell, Column, Kind, Row, Table, pivot
from drretail.records.vote import Choice, Vote
from drretail.run_file import read_evidence, read_telemetry
from drretail.stats.agreement import TIE, kappa_without_ties, soft_disagreement
from drretail.viewer.modes import Mode, modes_of

HERE, PAPER = Cell("here"), Cell("paper")
"""The source of a row."""
Figures = dict[tuple[str, str], Sequence[Cell | None]]
"""The cells of rows by their source, "here" or "paper", and their name."""
AGENTS = ("plan_to_function", "react", "hybrid_react")
SYSTEMS = tuple(f"{agent}{web}" for agent in AGENTS for web in ("", "+ws"))
"""The paper's six systems, in the order of its tables."""


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table with the paper's rows and the experiment's own."""

    name: str
    """"Table 1", "Figure 4", "Appendix E"."""
    table: Table
    """The first column has the source of each row."""
    missing: tuple[str, ...] = ()
    """What the experiment lacks for this table, and the commands that would make it."""

    @property
    def here(self) -> list[Row]:
        """The experiment's own rows."""
        return [row for row in self.table.rows if row.cells[0] == HERE]

    def document(self) -> dict[str, Any]:
        """For JSON: cells by column, as ``Cell.document`` gives them."""
        names = [column.name for column in self.table.columns]
        rows: list[dict[str, Any]] = []
        for row in self.table.rows:
            rows.append({"name": row.name})
            for name, cell in zip(names, row.cells, strict=True):
                rows[-1][name] = None if cell is None else cell.document()
        notes = {"notes": list(self.table.notes), "missing": list(self.missing)}
        return {"name": self.name, "title": self.table.title, "rows": rows, **notes}


def paper_table(
    key: str,
    figures: Figures,
    missing: Sequence[str] = (),
    *,
    columns: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> PaperTable:
    """The table of this key in published.toml, with a first column for the source of its rows.

    ``columns`` take the place of those that it names, and ``notes`` come before its own.
    """
    published = _published()[key]
    heads = ("source", *(columns or published["columns"]))
    cells = {
        (" ".join(row), "", head): cell
        for row, its in figures.items()
        for head, cell in zip(heads, (Cell(row[0]), *its), strict=True)
    }
    names = {" ".join(row): row[1] for row in figures}
    notes = (*notes, *published.get("notes", ()))
    table = pivot(published["title"], cells, names, {head: Column(head) for head in heads}, heading="", notes=notes)
    return PaperTable(published["name"], table, tuple(missing))


def here(rows: Mapping[str, Sequence[Cell | None]]) -> Figures:
    """Rows of the experiment, by name."""
    return {("here", name): cells for name, cells in rows.items()}


def of_paper(rows: Mapping[str, Sequence[Cell | None]]) -> Figures:
    """Rows of the paper, by name."""
    return {("paper", name): cells for name, cells in rows.items()}


@dataclass(frozen=True, slots=True)
class Lineup:
    """An experiment's systems by the paper's names."""

    by_name: dict[str, tuple[str, ...]]
    """For each of the paper's six systems the labels here: several if models differ."""
    others: tuple[str, ...] = ()
    """All other labels, which have no row in the paper."""

    @property
    def absent(self) -> tuple[str, ...]:
        """One sentence if some of the paper's systems were not run."""
        missing = [name for name, labels in self.by_name.items() if not labels]
        flags = " ".join(f"--agent {name}" for name in missing)
        return (f"not run here: {', '.join(missing)} (drretail run … {flags})",) if missing else ()


def lineup(systems: dict[str, System]) -> Lineup:
    """Matches an experiment's systems to the rows of the paper's tables."""
    by_name: dict[str, tuple[str, ...]] = dict.fromkeys(SYSTEMS, ())
    others: list[str] = []
    for label, system in sorted(systems.items()):
        if (name := system.name) in by_name and not system.options:
            by_name[name] += (label,)
        else:
            others.append(label)
    return Lineup(by_name, tuple(others))


def beside(
    lines: Lineup, own: Mapping[str, Sequence[Cell | None]], paper: Mapping[str, Sequence[Cell | None]]
) -> Figures:
    """The rows of each of the paper's six systems, ``own`` by label before the ``paper``'s; then all others."""
    figures: Figures = {}
    for name, labels in lines.by_name.items():
        figures |= here({label: own[label] for label in labels if label in own}) | {("paper", name): paper[name]}
    return figures | here({label: own[label] for label in lines.others if label in own})


def by_system(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """The runs that are done, by label."""
    by_label: dict[str, list[Run]] = {}
    for run in runs:
        if run.status == "done":
            by_label.setdefault(run.system, []).append(run)
    return dict(sorted(by_label.items()))


@cache
def _published() -> dict[str, dict[str, Any]]:
    return tomllib.loads((Path(__file__).parent / "published.toml").read_text(encoding="utf-8"))


def columns_of(table: str) -> tuple[str, ...]:
    """The names of a table's columns."""
    return tuple(_published()[table]["columns"])


def rows_of(table: str) -> dict[str, tuple[Cell, ...]]:
    """A table's rows by name; a value of two numbers is a mean with its ±."""
    kind: Kind = "tenths" if _published()[table].get("digits") == 1 else "number"
    rows: dict[str, tuple[Cell, ...]] = {}
    for name, values in _published()[table]["rows"].items():
        cells: list[Cell] = []
        for value in values:
            if isinstance(value, list):
                mean, deviation = value
                cells.append(Cell(mean, "count" if isinstance(mean, int) else kind, deviation=deviation))
            else:
                cells.append(Cell(value, "check" if isinstance(value, bool) else kind))
        rows[name] = tuple(cells)
    return rows


def numbers_of(table: str) -> dict[str, float]:
    """A table's numbers by name, where it has one a row."""
    return dict(_published()[table]["numbers"])


FP, FP_EQ2 = "FP", "FP_eq2"
"""The second is Eq. 2 of the columns, in these tables alone."""
WEB = "web_search"
LONG = 250
"""A report with at least this many words counts as a long answer."""
BODY = "words without sources"
DEEP = 3
"""Answering a query that expects at least this many different tools counts as research."""


def dataset(
    queries: Sequence[Query], runs: Sequence[Run], words: Mapping[str, WordCount], scores: Scores | None
) -> PaperTable:
    """Table 4 with a row for this experiment: shares of its queries or of its reports; ``words`` by run id."""
    judged = () if scores is None else filter(scores.shows, scores.scores)
    is_judged = any(row.metric == "faithfulness" and row.value is not None for row in judged)
    shares = (
        _share([len(set(query.expected_tools)) >= DEEP for query in queries]),
        _share([words[run.run_id].shown >= LONG for run in runs if run.status == "done"]),
        _share([bool(set(query.expected_tools) & (set(NINE) - {WEB})) for query in queries]),
        _share([WEB in query.expected_tools for query in queries]),
        Cell(is_judged, "check"),
        _share([query.user_id is not None and query.mode == "profile_aware" for query in queries]),
    )
    note = (
        f"Here as shares: of queries that expect {DEEP} tools and more, of reports of {LONG} words and more, of "
        "queries that expect a tool of the shop, and the web, and of those with a profile."
    )
    own = {f"this experiment ({counted(len(queries), 'query')})": shares}
    return paper_table("datasets", of_paper(rows_of("datasets")) | here(own), notes=[note])


def modes(experiment: str, compared: Sequence[Mode] | None) -> PaperTable:
    """Figure 5: generic and profile-aware queries; ``compared`` is None without the world."""
    missing: list[str] = []
    if compared is None:
        missing.append("the world of the queries: name it with --world")
    else:
        modes = {mode.name for mode in compared}
        missing += [
            f"{mode.replace('_', '-')} queries in {experiment}: drretail queries generate … --mode {mode}"
            for mode in ("generic", "profile_aware")
            if mode not in modes
        ]
    means = {
        mode.name.replace("_", "-"): [
            Cell(mode.queries, "count"),
            *(Cell(each, "number") for each in asdict(mode.means).values()),
        ]
        for mode in compared or ()
    }
    return paper_table("modes", here(means), missing)


def _share(of: Sequence[bool]) -> Cell | None:
    return Cell(mean(map(float, of)), "number", n=len(of)) if of else None


def cost(
    runs: Mapping[str, Sequence[Run]], planned: Mapping[str, int], words: Mapping[str, WordCount], lines: Lineup
) -> PaperTable:
    """Table 5 with the tool calls of section 6.3; ``runs`` with a report, of ``planned`` ones by system."""
    own: dict[str, list[Cell | None]] = {}
    for label, of_label in runs.items():
        spread = partial(_spread, of_label, planned[label])
        read, written = [], []
        for run in of_label:
            # A run without usage does not say what it took.
            usage = list(run.usage.values())
            tokens = sum(each.input for each in usage)
            read.append(tokens / 1000 if usage else None)
            written.append(sum(each.output for each in usage) / 1000 if usage else None)
        shown, body = zip(*(words[run.run_id] for run in of_label), strict=True)
        calls = [sum(step.kind == "tool" and step.name in NINE for step in run.steps) for run in of_label]
        own[label] = [
            *(spread(tokens) for tokens in (read, written)),
            *(spread(count, "count") for count in (shown, body)),
            spread(calls, has_deviation=False),
        ]
    columns = columns_of("cost")
    figures = beside(lines, own, {name: (*cells[:3], None, *cells[3:]) for name, cells in rows_of("cost").items()})
    return paper_table("cost", figures, lines.absent, columns=(*columns[:3], BODY, *columns[3:]))


def tool_calls(runs: Mapping[str, Sequence[Run]], planned: Mapping[str, int], lines: Lineup) -> PaperTable:
    """Figure 4: the mean number of calls of each tool in a run; failed calls count."""
    means: dict[str, list[Cell | None]] = {}
    for label in (*(label for labels in lines.by_name.values() for label in labels), *lines.others):
        if label in runs:
            made = [Counter(step.name for step in run.steps if step.kind == "tool") for run in runs[label]]
            calls = ([each[tool] for each in made] for tool in NINE)
            means[label] = [_spread(runs[label], planned[label], of, "number", has_deviation=False) for of in calls]
    return paper_table("tool_calls", here(means), lines.absent, columns=NINE)


def _spread(
    runs: Sequence[Run],
    planned: int,
    values: Sequence[float | None],
    kind: Kind = "tenths",
    *,
    has_deviation: bool = True,
) -> Cell | None:
    """The mean over queries of the runs' values, a query's repeats averaged first, as on the board; None if all are
    unknown.
    """
    by_query = [*means_by_query((run.query_id, value) for run, value in zip(runs, values, strict=True)).values()]
    deviation = stdev(by_query) if has_deviation and len(by_query) > 1 else None
    n = sum(value is not None for value in values)
    return Cell(mean(by_query), kind, deviation=deviation, n=n, planned=planned) if by_query else None


R = TypeVar("R", Score, PairScore)
JUDGED = ("faithfulness", "quality")
"""The metrics with a table in the paper."""


def judges_agree(experiment: str, scores: Scores | None) -> PaperTable:
    """Appendix E: Spearman's ρ of two judges' ratings."""
    published = numbers_of("rho")
    agreements = [row for row in (scores.agreements if scores else ()) if row.metric == "quality"]
    whose = {f"{row.first} and {row.second}, rules {row.rules}" for row in agreements}
    figures: Figures = {}
    for dimension, rho in published.items():
        for row in agreements:
            if row.variant == dimension:
                over_reports = (Cell(row.rho_report, "number"), Cell(row.n_reports, "count"))
                over_systems = (Cell(row.rho_system, "number"), Cell(row.n_systems, "count"))
                judges = "" if len(whose) == 1 else f" ({row.first} and {row.second}, rules {row.rules})"
                figures |= here({f"{dimension}{judges}": (*over_reports, *over_systems)})
        figures |= of_paper({dimension: (Cell(rho, "number"), None, None, None)})
    missing = f"ratings of two language models: {_score(experiment, 'quality', 'A')} --judge B"
    notes = [f"Judged here by {judges}." for judges in whose if len(whose) == 1]
    return paper_table("rho", figures, () if agreements else (missing,), notes=notes)


def _score(experiment: str, metric: str, judge: str = "PROVIDER:MODEL") -> str:
    """The command that makes a metric's numbers as the paper's are made."""
    return f"drretail score {experiment} --metrics {metric} --rules paper --judge {judge}"


def judged(experiment: str, metric: str, scores: Scores | None, lines: Lineup, board: Board) -> PaperTable:
    """The paper's table for a metric in ``JUDGED``."""
    columns = columns_of(metric)
    rows = [row for row in (scores.scores if scores else ()) if row.metric == metric]
    shown, notes = _of_first_judge(rows, board)
    missing = [*lines.absent]
    if not shown:
        missing.append(f"{metric} of any judge: {_score(experiment, metric)}")
    elif all(row.note is not None for row in shown):
        missing.append(
            f"ratings of a language model (a rule-based judge's are no numbers): {_score(experiment, metric)}"
        )
    elif board.rules != "paper":
        missing.append(f"{metric} by the paper's rules: {_score(experiment, metric, shown[0].judge)}")
    by_variant = {(row.system, row.variant): row for row in shown}
    own: dict[str, list[Cell | None]] = {}
    for label in {row.system for row in shown}:
        its = (by_variant.get((label, name)) for name in columns)
        own[label] = [
            None
            if row is None or row.value is None
            else Cell(row.value, "number", n=row.n_scored, planned=row.n_planned)
            for row in its
        ]
    figures = beside(lines, own, rows_of(metric))
    if FP in columns:
        columns = (FP, FP_EQ2, *columns[1:])
        figures = {row: (cells[0], _half_the_sum(cells[1:3]), *cells[1:]) for row, cells in figures.items()}
    return paper_table(metric, figures, missing, columns=columns, notes=notes)


def _half_the_sum(by_type: Sequence[Cell | None]) -> Cell | None:
    """FP_eq2 of the columns FP_web and FP_product; None if one has no value."""
    values = [cell.value for cell in by_type if cell is not None and isinstance(cell.value, float)]
    return Cell(sum(values) / 2, "number") if len(values) == 2 else None


def _of_first_judge(rows: Sequence[R], board: Board) -> tuple[list[R], list[str]]:
    """The rows by the board's first judge, and a note of who that is; never a panel's, as the paper has none."""
    single = [row for row in rows if not row.judge.startswith(PANEL)]
    first = board.first(map(Assessor.of, single))
    if first is None:
        return [], []
    shown = [row for row in single if Assessor.of(row) == first]
    return shown, [f"Judged here by {shown[0].judge}, rules {shown[0].rules}."]


def preferences(experiment: str, scores: Scores | None, lines: Lineup, board: Board) -> PaperTable:
    """Figure 6: the three agents that read whole pages, pair by pair and dimension by dimension."""
    labels = [label for agent in AGENTS for label in lines.by_name[f"{agent}+ws"]]
    wanted = [tuple(sorted(pair)) for pair in combinations(labels, 2)]
    met = [row for row in (scores.pairs if scores else ()) if (row.a, row.b) in wanted]
    rated, notes = _of_first_judge([row for row in met if row.win.value is not None], board)
    missing: list[str] = []
    if len(labels) < len(AGENTS):
        flags = " ".join(f"--agent {agent}+ws" for agent in AGENTS if not lines.by_name[f"{agent}+ws"])
        missing.append(f"the three agents that read whole pages: drretail run … {flags}")
    if not met and len(labels) > 1:
        missing.append(f"comparisons: {_score(experiment, 'pairwise')}")
    elif met and not rated:
        unread = {row.judge for row in met if row.contrast.outcome == "order_decided"}
        why = f" that reads ({', '.join(sorted(unread))}: {ORDER_DECIDED})" if unread else ""
        missing.append(f"preferences of a language model{why}: {_score(experiment, 'pairwise')}")
    has_ties = any(row.tie.value for row in rated)  # by our rules, or where neither system has a report
    shares = {
        f"{row.a} ~ {row.b}: {row.dimension}": [
            *(Cell(share.value, "number") for share in (row.win, *((row.tie,) if has_ties else ()), row.loss)),
            Cell(row.n_scored, "count"),
        ]
        for row in rated
    }
    columns = ("first wins", *(("tie",) if has_ties else ()), "second wins", "pairs")
    return paper_table("preferences", here(shares), missing, columns=columns, notes=notes)


def people_agree(votes: Sequence[Vote]) -> PaperTable:
    """Appendix D: Cohen's κ of every two annotators by dimension on A and B, without ties."""
    published = numbers_of("kappa")
    soft = published.pop("soft_disagreements")
    places: dict[str, dict[str, dict[str, Choice]]] = defaultdict(lambda: defaultdict(dict))
    for vote in sorted(votes, key=lambda vote: vote.annotator):
        places[vote.dimension][vote.annotator][vote.about] = vote.place
    figures: Figures = {}
    for dimension in (*published, *(dimension for dimension in DIMENSIONS if dimension not in published)):
        for (first, its), (second, others) in combinations(places[dimension].items(), 2):
            both = [(its[about], others[about]) for about in its if about in others]
            if both:
                ones, twos = zip(*both, strict=True)
                kappa, soft_here = kappa_without_ties(ones, twos), soft_disagreement(ones, twos)
                counts = Cell(len(both), "count"), Cell(sum(TIE not in pair for pair in both), "count")
                cells = [Cell(kappa, "number"), *counts, Cell(soft_here, "number")]
                figures |= here({f"{dimension} ({first}, {second})": cells})
        if dimension in published:
            cells = (Cell(published[dimension], "number"), Cell(21, "count"), None, Cell(soft, "number"))
            figures |= of_paper({dimension: cells})
    annotators = "two people's votes: one line a vote in exp/votes/<annotator>.jsonl (drretail/addons/people/README.md)"
    return paper_table("kappa", figures, () if len({vote.annotator for vote in votes}) > 1 else (annotators,))


PAPER_QUERIES = 50
PAPER_RESULTS = 5
"""Results of one web search (section 5.3)."""
PAPER_MODEL = "Claude 4.0 Sonnet"
PAPER_JUDGE = "Claude 4.5 Sonnet"


@dataclass(frozen=True, slots=True)
class PaperView:
    """The paper's tables of an experiment.

    ``settings`` are sentences on what was run here and how that differs from the paper.
    """

    name: str
    settings: tuple[str, ...]
    tables: tuple[PaperTable, ...]

    @property
    def missing(self) -> list[tuple[str, str]]:
        """Pairs of a table's name and something that it lacks, for all tables."""
        return [(table.name, text) for table in self.tables for text in table.missing]

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "experiment": self.name,
            "settings": list(self.settings),
            "tables": [table.document() for table in self.tables],
        }


def read_paper_view(experiment: Path, world: World | None) -> PaperView:
    """All tables; ``world`` is None if that of the queries is not at hand.

    Raises UserError for a folder without an experiment, and for votes that can't be read.
    """
    definition = read_definition(experiment)
    lines = lineup(definition.systems)
    runs = list(read_runs(experiment))
    done = by_system(runs)
    planned = Counter(run.system for run in runs)
    words = {run.run_id: words_of(experiment, run) for run in runs if run.status == "done"}
    scores, board = read_scores(experiment), read_board(experiment)
    name = str(experiment)
    queries = definition.queries
    return PaperView(
        experiment.name,
        (*stands_on(experiment, definition, runs, scores, board, world), *_settings(definition, runs)),
        (
            *(judged(name, metric, scores, lines, board) for metric in JUDGED),
            dataset(queries, [run for run in runs if not _is_plain(definition.systems[run.system])], words, scores),
            cost(done, planned, words, lines),
            tool_calls(done, planned, lines),
            modes(name, None if world is None else modes_of(queries, Linter(world))),
            preferences(name, scores, lines, board),
            people_agree([vote for vote in read_votes(experiment) if isinstance(vote, Vote)]),
            judges_agree(name, scores),
        ),
    )


def _settings(definition: Definition, runs: Sequence[Run]) -> Iterator[str]:
    researching = {label: system for label, system in definition.systems.items() if not _is_plain(system)}
    models = sorted({model.spec for system in researching.values() for model in system.models.values()})
    kinds = {model.kind for system in researching.values() for model in system.models.values()}
    rules = (
        " (rule-based: no language model, so these numbers say nothing of the paper's)"
        if kinds == {"rule_based"}
        else ""
    )
    yield f"Models: {', '.join(models) or 'none'}{rules}. The paper: {PAPER_MODEL}, judged by {PAPER_JUDGE}."
    repeats = max((run.repeat for run in runs), default=1)
    count = len(definition.queries)
    world = definition.world_fingerprint
    made = ", imported" if world is None else f", on the world {world[:12]}"
    yield (
        f"{counted(count, 'query')}, {counted(repeats, 'run')} each{made}. The paper: {PAPER_QUERIES} queries of "
        "its own, one run each."
    )
    providers = sorted({system.web_provider for system in researching.values()})
    yield (
        f"The web: {', '.join(providers) or 'none'}, the first {PAPER_RESULTS} results. The paper: Serper, the first "
        f"{PAPER_RESULTS}."
    )
    scopes = sorted({system.sees for system in researching.values()}, reverse=True)
    shown = " or ".join({"own": "the user's own data", "any": "any user's data"}[scope] for scope in scopes)
    yield f"Tools show {shown or 'nothing'} (--vary scope). The paper: any user's."
    failed = Counter(run.system for run in runs if run.status == "failed")
    idle = Counter(run.system for run in runs if run.stop == "no_research")
    for label, number in sorted(failed.items()):
        looked = f" ({idle[label]} of them looked nothing up)" if idle[label] else ""
        yield (
            f"{counted(number, 'run')} of {label} failed{looked}: counted where scores count, "
            "without tokens or words here."
        )


def _is_plain(system: System) -> bool:
    return not system.models and not system.is_imported


def markdown_of(view: PaperView) -> str:
    """All tables as Markdown; differences from the paper come first, missing parts last."""
    settings = "\n".join(f"- {sentence}" for sentence in view.settings)
    return f"# {view.name} beside the paper\n\n{settings}\n\n{tables_markdown(view)}"


def tables_markdown(view: PaperView) -> str:
    """All tables, then what is missing in them."""
    blocks: list[str] = []
    for beside_paper in view.tables:
        table = beside_paper.table
        blocks.append(f"## {beside_paper.name}. {table.title}")
        blocks += [markdown_table(table)] if table.rows else []
        blocks += [" ".join(table.notes)] if table.notes else []
        blocks += [] if beside_paper.here else ["This experiment has nothing for this table: see the end."]
    missing = [f"- {name}: {text}" for name, text in view.missing]
    blocks.append("## Missing here\n\n" + ("\n".join(missing) if missing else "Nothing."))
    return "\n\n".join(blocks) + "\n"


OURS = "this package's"


def stands_on(
    experiment: Path,
    definition: Definition,
    runs: Sequence[Run],
    scores: Scores | None,
    board: Board,
    world: World | None,
) -> Iterator[str]:
    """One sentence for each; without the ``world`` the shop's sizes are left out."""
    made_of = "made up (the demo)" if definition.world_fingerprint == DEMO else "of the files that it was ingested from"
    if definition.world_fingerprint is not None:
        sizes = "" if world is None else f": {world.manifest.headline}"
        people = len({query.user_id for query in definition.queries} - {None})
        yield f"The shop is {made_of}{sizes}. {counted(people, 'of its users asks', 'of its users ask')} the queries."
    # How many pages the agents met, and how long pages and snippets are.
    words: dict[str, dict[str, int]] = {"page": {}, "snippet": {}}
    for run in runs:
        entries = read_evidence(path_of(experiment, run))
        for text in (text for entry in entries if entry.kind == "web" for text in entry.texts):
            if text.form in words:
                words[text.form][text.sha256] = len(text.text.split())
    lengths = (
        f"{counted(len(by_hash), form)} of {median(by_hash.values()):.0f} words (median)"
        for form, by_hash in words.items()
        if by_hash
    )
    yield f"The web that agents met: {', '.join(lengths) or 'none'}."
    folders = {known.prompts.name for known in definition.systems.values() if known.prompts is not None}
    own = sorted({prompt for query in definition.queries for prompt in query.prompts})
    judged = [row for row in (scores.scores if scores else ()) if row.judge != CODE and not is_panel(row.judge)]
    rows = [row for row in judged if board.has(*Assessor.of(row))]
    worded = sorted(filter(None, {row.judge_params.partition("prompts-")[2] for row in rows}))
    yield (
        f"Whose wording: agents {', '.join(sorted(folders)) or OURS}; queries {', '.join(own) or OURS}; "
        f"judges {', '.join(worded) or OURS}."
    )
    if rows:
        rules, judges = ({getattr(row, name) for row in rows} for name in ("rules", "judge"))
        yield f"Rules: {', '.join(sorted(rules))}; judged by {', '.join(sorted(judges))}."
    telemetry = (read_telemetry(path_of(experiment, run)) for run in runs)
    ended = sorted(filter(None, (str(figures.get("ended", ""))[:10] for figures in telemetry)))
    if ended:
        yield f"Run from {ended[0]} to {ended[-1]}."
