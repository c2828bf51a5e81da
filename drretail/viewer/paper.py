"""An experiment in the form of the paper: every table that it has numbers for, and how it differs; also as Markdown.
Tables 1, 2, 4 and 5, Figures 4 to 6, Appendices D and E.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations, groupby
from pathlib import Path
from shlex import quote
from statistics import mean, stdev
from typing import Any

from drretail.env.world import World
from drretail.eval.ballots import read_votes
from drretail.eval.judging.dimensions import DIMENSIONS
from drretail.eval.numbers.file import read_scores
from drretail.eval.numbers.gathering import means_by_query
from drretail.eval.numbers.judges import Assessor, Board, read_board
from drretail.experiments.experiment import Definition, path_of, read_definition, read_runs
from drretail.experiments.run_file import read_telemetry
from drretail.llm.spending import words_of
from drretail.querygen.lint import Linter
from drretail.querygen.modes import Mode, modes_of
from drretail.querygen.reading import WORLD as DEMO
from drretail.records.comparison import PairScore
from drretail.records.figures import counted
from drretail.records.query import Query
from drretail.records.run import NINE, Run, System
from drretail.records.score import Score, Scores
from drretail.records.vote import Vote
from drretail.stats.agreement import TIE, kappa_without_ties, soft_disagreement
from drretail.viewer.drawing.markup import markdown_table
from drretail.viewer.drawing.table import Cell, Column, Kind, Row
from drretail.viewer.published import PaperTable, paper_table, published
from drretail.viewer.tables.board import BoardTables
from drretail.viewer.tables.scores import RECORDED

AGENTS = ("plan_to_function", "react", "hybrid_react")
SYSTEMS = tuple(f"{agent}{web}" for agent in AGENTS for web in ("", "+ws"))
"""The paper's six systems, in the order of its tables."""
JUDGED = ("faithfulness", "quality")
"""The metrics with a table in the paper."""
FP_EQ2 = "FP_eq2"
"""Eq. 2 of the columns, in these tables alone."""
WEB = "web_search"
LONG = 250
"""A report with at least this many words counts as a long answer."""
DEEP = 3
"""Answering a query that expects at least this many different tools counts as research."""
PAPER_SETTINGS = (
    "The paper: Claude 4.0 Sonnet, judged by Claude 4.5 Sonnet; 50 queries of its own, one run each; the first 5 "
    "results of Serper; tools that show any user's data."
)
OURS = "this package's"


def absent(systems: Mapping[str, System]) -> list[str]:
    """One sentence if some of the paper's systems were not run."""
    names = {system.name for system in systems.values() if not system.options}
    missing = [name for name in SYSTEMS if name not in names]
    flags = " ".join(f"--agent {name}" for name in missing)
    return [f"not run here: {', '.join(missing)} (drretail run … {flags})"] if missing else []


def dataset(queries: Sequence[Query], runs: Sequence[Run], words: Mapping[str, int], scores: Scores) -> PaperTable:
    """Table 4 with a row for this experiment: shares of its queries or of its reports; ``words`` by run id."""
    shares = (
        _share([len(set(query.expected_tools)) >= DEEP for query in queries]),
        _share([words[run.run_id] >= LONG for run in runs if run.status == "done"]),
        _share([bool(set(query.expected_tools) & (set(NINE) - {WEB})) for query in queries]),
        _share([WEB in query.expected_tools for query in queries]),
        Cell(any(row.metric == "faithfulness" and row.value is not None for row in scores.scores), "check"),
        _share([query.user_id is not None and query.mode == "profile_aware" for query in queries]),
    )
    note = (
        f"Here as shares of queries: those that expect {DEEP} tools or more, a tool of the shop, or the web, and those "
        f"with a profile. Long answers are reports of {LONG} words or more."
    )
    rows = {f"this experiment ({counted(len(queries), 'query')})": shares}
    return paper_table("datasets", rows, notes=[note])


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
            *(Cell(mean, "number") for mean in asdict(mode.means).values()),
        ]
        for mode in compared or ()
    }
    return paper_table("modes", means, missing)


def _share(of: Sequence[bool]) -> Cell | None:
    return Cell(mean(map(float, of)), "number", n=len(of)) if of else None


def cost(
    runs: Mapping[str, Sequence[Run]],
    planned: Mapping[str, int],
    words: Mapping[str, int],
    missing: Sequence[str],
) -> PaperTable:
    """Table 5 with the tool calls of section 6.3; ``runs`` with a report, of ``planned`` ones by system."""
    rows: dict[str, list[Cell | None]] = {}
    for label, of_label in runs.items():
        # A run without usage does not say what it took.
        used = [list(run.usage.values()) for run in of_label]
        read = [sum(usage.input for usage in its) / 1000 if its else None for its in used]
        written = [sum(usage.output for usage in its) / 1000 if its else None for its in used]
        calls = [sum(step.kind == "tool" and step.name in NINE for step in run.steps) for run in of_label]
        tokens = [_spread(of_label, planned[label], values) for values in (read, written)]
        shown = _spread(of_label, planned[label], [words[run.run_id] for run in of_label], "count")
        of_calls = _spread(of_label, planned[label], calls)
        rows[label] = [*tokens, shown, of_calls and replace(of_calls, deviation=None)]
    return paper_table("cost", rows, missing)


def calls(runs: Mapping[str, Sequence[Run]], planned: Mapping[str, int], missing: Sequence[str]) -> PaperTable:
    """Figure 4: the mean calls of each tool in a run with a report, failed calls included."""
    rows: dict[str, list[Cell | None]] = {}
    for label, of_label in runs.items():
        counts = [Counter(step.name for step in run.steps if step.kind == "tool") for run in of_label]
        means = (_spread(of_label, planned[label], [of_run[tool] for of_run in counts]) for tool in NINE)
        rows[label] = [cell and Cell(cell.value, "tenths") for cell in means]  # over as many runs as in Table 5
    return paper_table("calls", rows, missing)


def _spread(runs: Sequence[Run], planned: int, values: Sequence[float | None], kind: Kind = "tenths") -> Cell | None:
    """The mean over queries of the runs' values, a query's repeats averaged first, as on the board; None if all are
    unknown.
    """
    by_query = [*means_by_query((run.query_id, value) for run, value in zip(runs, values, strict=True)).values()]
    deviation = stdev(by_query) if len(by_query) > 1 else None
    n = sum(value is not None for value in values)
    return Cell(mean(by_query), kind, deviation=deviation, n=n, planned=planned) if by_query else None


def _score(experiment: str, metric: str, *judges: str, rules: str = "paper") -> str:
    """The command that makes a metric's numbers as the paper's are made, by these judges or one to be named."""
    asked = [quote(judge) for judge in judges if judge != RECORDED] or ["PROVIDER:MODEL"]  # a recording can't be asked
    flags = "".join(f" --judge {judge}" for judge in asked)
    return f"drretail score {quote(experiment)} --metrics {metric} --rules {rules}{flags}"


def _by_models(experiment: str, metric: str, rows: Iterable[Score | PairScore], board: Board) -> list[str]:
    """Commands that show a metric's numbers by models that the last ``score`` did not ask, else one that makes some."""
    by_others = (row for row in rows if row.n_scored and not board.has(*Assessor.of(row)))
    by_models = (row for row in by_others if row.judge_kind != "rule_based" and row.judge != RECORDED)
    judges = dict.fromkeys((row.judge, row.rules) for row in by_models)
    unasked = "whom the last `score` did not ask (what is judged is not asked again)"
    return [
        f"numbers by {judge}, rules {rules}, {unasked}: {_score(experiment, metric, judge, rules=rules)}"
        for judge, rules in judges
    ] or [f"{metric} of a language model: {_score(experiment, metric)}"]


def judged(experiment: str, metric: str, scores: Scores, board: Board, missing: Sequence[str] = ()) -> PaperTable:
    """The paper's table for a metric in ``JUDGED``: the board's own, with the paper's rows."""
    about, shown = published()[metric], scores.scoreboard
    tables = None if shown is None else BoardTables(shown, paper=True)
    columns = [] if tables is None else [column for column in tables.columns if column.metric == metric]
    by_models = _by_models(experiment, metric, [row for row in scores.scores if row.metric == metric], board)
    if shown is None or tables is None or not columns:
        return paper_table(metric, {}, [*missing, *by_models])
    if any(column.metric == metric for column in tables.unrated):
        missing = [*missing, *by_models]
    elif board.rules != "paper":
        by_paper = _score(experiment, metric, *(key.split()[0] for key in board.judge))
        missing = [*missing, f"{metric} by the paper's rules: {by_paper}"]
    table = next(table for table in tables.tables if table.title == columns[0].table)
    names = [column.name for column in table.columns]
    if {"FP_web", "FP_product"} <= {*names}:
        places = names.index("FP_web"), names.index("FP_product")
        rows = (replace(row, cells=(row.cells[0], _half_the_sum(row, places), *row.cells[1:])) for row in table.rows)
        heads = (table.columns[0], Column(FP_EQ2), *table.columns[1:])
        table = replace(table, columns=heads, rows=tuple(rows))
    whose = f"Judged here by {shown.judge.judge}, rules {shown.judge.rules}."
    notes = (*table.notes, whose, *about.get("notes", ()))
    return PaperTable(about["name"], replace(table, title=about["title"], by="", notes=notes), tuple(missing))


def preferences(experiment: str, scores: Scores, board: Board) -> PaperTable:
    """Figure 6: the win rate of the first of two systems, by pair and dimension."""
    met = [row for row in scores.pairs if row.win.value is not None]
    whose = board.first(map(Assessor.of, met))
    columns = published()["preferences"]["columns"]
    rows = defaultdict[str, list[Cell | None]](lambda: [None] * len(columns))
    for row in met:
        if Assessor.of(row) == whose:
            win_rate = Cell(row.win_rate.value, "number", n=row.n_scored, planned=row.n_planned)
            rows[f"{row.a} over {row.b}"][columns.index(row.dimension)] = win_rate
    missing = [] if rows else _by_models(experiment, "pairwise", met, board)
    notes = [f"Judged here by {whose.judge.spec}, rules {whose.rules}."] if whose else []
    return paper_table("preferences", rows, missing, notes=notes)


def _half_the_sum(row: Row, places: tuple[int, int]) -> Cell | None:
    """FP_eq2 of the columns FP_web and FP_product; None if one has no value."""
    cells = [row.cells[at] for at in places]
    values = [cell.number for cell in cells if cell is not None and cell.number is not None]
    return Cell(sum(values) / 2, "number", signed=row.place == "difference") if len(values) == 2 else None


def people_agree(votes: Sequence[Vote]) -> PaperTable:
    """Appendix D: Cohen's κ of every two annotators by dimension, without ties; A and B are the sides that the first
    was shown.
    """
    by_dimension = dict(published()["kappa"]["numbers"])
    soft = by_dimension.pop("soft_disagreements")
    by_annotator: dict[str, dict[str, dict[str, Vote]]] = defaultdict(lambda: defaultdict(dict))
    for vote in sorted(votes, key=lambda vote: vote.annotator):
        by_annotator[vote.dimension][vote.annotator][vote.about] = vote
    rows: dict[str, Sequence[Cell | None]] = {}
    for dimension in (*by_dimension, *(dimension for dimension in DIMENSIONS if dimension not in by_dimension)):
        for (first, its), (second, others) in combinations(by_annotator[dimension].items(), 2):
            both = [(vote.answer, others[about].seen_as(vote)) for about, vote in its.items() if about in others]
            if both:
                ones, twos = zip(*both, strict=True)
                kappa, soft_here = kappa_without_ties(ones, twos), soft_disagreement(ones, twos)
                counts = Cell(len(both), "count"), Cell(sum(TIE not in pair for pair in both), "count")
                cells = [Cell(kappa, "number"), *counts, Cell(soft_here, "number")]
                rows[f"{dimension} ({first}, {second})"] = cells
    papers = {
        dimension: (Cell(kappa, "number"), Cell(21, "count"), None, Cell(soft, "number"))
        for dimension, kappa in by_dimension.items()
    }
    annotators = "two people's votes: one line a vote in exp/votes/<annotator>.jsonl (drretail/addons/people/README.md)"
    missing = () if len({vote.annotator for vote in votes}) > 1 else (annotators,)
    return paper_table("kappa", rows, missing, paper=papers)


def judges_agree(experiment: str, scores: Scores) -> PaperTable:
    """Appendix E: Spearman's ρ of two judges' ratings."""
    published_rho = dict(published()["rho"]["numbers"])
    agreements = [row for row in scores.agreements if row.metric == "quality" and row.variant in published_rho]
    own: dict[str, Sequence[Cell | None]] = {}
    for row in agreements:
        over_reports = (Cell(row.rho_report, "number"), Cell(row.n_reports, "count"))
        over_systems = (Cell(row.rho_system, "number"), Cell(row.n_systems, "count"))
        own[f"{row.variant} ({row.first} and {row.second}, rules {row.rules})"] = (*over_reports, *over_systems)
    papers = {name: (Cell(rho, "number"), None, None, None) for name, rho in published_rho.items()}
    missing = f"ratings of two language models: {_score(experiment, 'quality', 'A', 'B')}"
    return paper_table("rho", own, () if agreements else (missing,), paper=papers)


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
        tables = [table.document() for table in self.tables]
        return {"experiment": self.name, "settings": list(self.settings), "tables": tables}


def read_paper_view(experiment: Path, world: World | None) -> PaperView:
    """All tables; ``world`` is None if that of the queries is not at hand.

    Raises UserError for a folder without an experiment, and for votes that can't be read.
    """
    definition, runs, name = read_definition(experiment), list(read_runs(experiment)), str(experiment)
    queries, systems = definition.queries, definition.systems
    finished = sorted((run for run in runs if run.status == "done"), key=lambda run: run.system)
    done = {label: list(of_label) for label, of_label in groupby(finished, key=lambda run: run.system)}
    planned = Counter(run.system for run in runs)
    words = {run.run_id: words_of(experiment, run) for run in finished}
    scores = read_scores(experiment) or Scores(scores=(), judgings=())
    board, missing = read_board(experiment), absent(systems)
    return PaperView(
        experiment.name,
        tuple(_settings(experiment, definition, runs, scores, board, world)),
        (
            *(judged(name, metric, scores, board, missing) for metric in JUDGED),
            dataset(queries, [run for run in finished if not _is_plain(systems[run.system])], words, scores),
            cost(done, planned, words, missing),
            calls(done, planned, missing),
            modes(name, None if world is None else modes_of(queries, Linter(world))),
            preferences(name, scores, board),
            people_agree([vote for vote in read_votes(experiment) if isinstance(vote, Vote)]),
            judges_agree(name, scores),
        ),
    )


def _settings(
    experiment: Path,
    definition: Definition,
    runs: Sequence[Run],
    scores: Scores,
    board: Board,
    world: World | None,
) -> Iterator[str]:
    """What the numbers stand on, a sentence each; without the ``world`` the shop's sizes are left out."""
    queries = definition.queries
    if definition.world_fingerprint is not None:
        made_of = "made up (the demo)" if definition.world_fingerprint == DEMO else "of ingested files"
        sizes = "" if world is None else f": {world.manifest.headline}"
        people = len({query.user_id for query in queries} - {None})
        yield f"The shop is {made_of}{sizes}. {counted(people, 'of its users asks', 'of its users ask')} the queries."
    researching = [system for system in definition.systems.values() if not _is_plain(system)]
    specs = {model.spec: model.kind for system in researching for model in system.models.values()}
    is_ruled = {*specs.values()} == {"rule_based"}
    rules = " (rule-based: no language model, so these numbers say nothing of the paper's)" if is_ruled else ""
    sees = sorted({system.sees for system in researching})
    yield (
        f"Models: {', '.join(sorted(specs)) or 'none'}{rules}; {counted(len(queries), 'query')}, "
        f"{counted(max((run.repeat for run in runs), default=1), 'run')} each; the web: "
        f"{', '.join(sorted({system.web_provider for system in researching})) or 'none'}; data of users that tools "
        f"show: {' or '.join(sees) or 'none'}. {PAPER_SETTINGS}"
    )
    for floor in () if scores.scoreboard is None else scores.scoreboard.needs:
        yield f"What the board calls right would be, {floor.in_words}."
    folders = {system.prompts.name for system in definition.systems.values() if system.prompts is not None}
    prompts = sorted({prompt for query in queries for prompt in query.prompts})
    rows = [row for row in scores.scores if board.has(*Assessor.of(row))]
    worded = sorted(filter(None, {row.judge_params.partition("prompts-")[2] for row in rows}))
    yield (
        f"Whose wording: agents {', '.join(sorted(folders)) or OURS}; queries {', '.join(prompts) or OURS}; "
        f"judges {', '.join(worded) or OURS}."
    )
    telemetry = (read_telemetry(path_of(experiment, run)) for run in runs)
    ended = sorted(filter(None, (str(figures.get("ended", ""))[:10] for figures in telemetry)))
    if ended:
        yield f"Run from {ended[0]} to {ended[-1]}."
    failed = Counter(run.system for run in runs if run.status == "failed")
    for label, number in sorted(failed.items()):
        yield f"{counted(number, 'run')} of {label} failed: without tokens or words here."


def _is_plain(system: System) -> bool:
    return not system.models and not system.is_imported


def markdown_of(view: PaperView) -> str:
    """All tables as Markdown; differences from the paper come first, missing parts last."""
    settings = "\n".join(f"- {sentence}" for sentence in view.settings)
    return f"# {view.name} beside the paper\n\n{settings}\n\n{tables_markdown(view)}"


def tables_markdown(view: PaperView) -> str:
    """All tables, then what is missing in them."""
    blocks: list[str] = []
    for table in view.tables:
        blocks.append(f"## {table.name}. {table.table.title}")
        blocks += [markdown_table(table.table)] if table.table.rows else []
        blocks += [" ".join(table.table.notes)] if table.table.notes else []
        blocks += [] if table.here else ["No row of this experiment is here: see the end."]
    missing = [f"- {name}: {text}" for name, text in view.missing]
    blocks.append("## Missing here\n\n" + ("\n".join(missing) if missing else "Nothing."))
    return "\n\n".join(blocks) + "\n"
