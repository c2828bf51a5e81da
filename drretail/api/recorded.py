"""Recorded experiments, for code and for notebooks."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from pydantic import PrivateAttr

from drretail.agents.running.outcomes import Tally
from drretail.api.options.shared import folder_of
from drretail.errors import UnknownName, UserError
from drretail.eval.judging.pairs import resolve_name
from drretail.eval.judging.spending import JudgingCost
from drretail.eval.metric import Metric
from drretail.eval.registry import recorded_metric
from drretail.eval.scores.facts import RunValue, run_values
from drretail.eval.scores.file import read_scores
from drretail.eval.scores.panel import name_of
from drretail.eval.scores.planned import read_judgements
from drretail.experiment import Definition, read_definition, read_evidence, read_run, read_runs, run_folder
from drretail.grounding.report.render import Style, render_report
from drretail.plugins import Plugins
from drretail.records.evidence import Evidence
from drretail.records.run import Run
from drretail.records.score import JudgeRef, Score, Scores
from drretail.records.tables.figures import counted
from drretail.records.tables.result import library
from drretail.records.tables.table import table_of
from drretail.screen import on_screen
from drretail.viewer.cart import Cart, cart_markdown, cart_of
from drretail.viewer.commands import commands
from drretail.viewer.experiment import read_view
from drretail.viewer.page.notebook import report_cell, run_cell, scores_cell, table_cell
from drretail.viewer.terminal.text_report import board_lines

if TYPE_CHECKING:
    # Neither is a dependency: a user who has one gets its type.
    import pandas  # pyright: ignore[reportMissingImports]
    import polars  # pyright: ignore[reportMissingImports]


@dataclass(frozen=True, slots=True)
class RecordedExperiment:
    """The runs of an experiment, read from its folder at each access."""

    folder: Path
    """The experiment's folder."""
    tallies: tuple[Tally, ...] = ()
    """What became of the requested runs, by system; empty if the folder was only opened."""
    closing: str | None = None
    """Why runs were not started, if a cap on tokens or dollars was reached."""
    next_command: str | None = None
    """The command that scores the runs, against the reference answers of their sandbox if it has any. None if the
    folder was only opened.
    """

    @property
    def is_complete(self) -> bool:
        """True if every requested run was made, and none failed or lost a part of itself to a provider."""
        return all(tally.is_complete for tally in self.tallies)

    @property
    def definition(self) -> Definition:
        """The experiment's queries, systems and seed."""
        return read_definition(self.folder)

    @property
    def commands(self) -> list[str]:
        """The commands that make it again, as its page shows them.

        W stands for the world's folder, and queries.jsonl for a file of ``definition.queries``.
        """
        return commands(read_view(self.folder))

    @property
    def systems(self) -> list[str]:
        """The labels of its systems."""
        return list(self.definition.systems)

    def __iter__(self) -> Iterator[Run]:
        return read_runs(self.folder)

    def run(self, system: str, query_id: str | None = None, repeat: int = 1) -> Run:
        """The run of a system for a query, which may be left out if there is only one.

        The beginning of a label is enough if no other label begins with it. Raises UnknownName for an unknown system or
        query, and UserError for an ambiguous label or if the run has not ended.
        """
        definition = self.definition
        label = resolve_name("system", system, definition.systems)
        known = [query.query_id for query in definition.queries]
        if query_id is None and len(known) > 1:
            raise UserError(f"The experiment holds {len(known)} queries: name one, such as {known[0]}.")
        wanted = query_id or known[0]
        if wanted not in known:
            raise UnknownName("query", wanted, known)
        folder = run_folder(self.folder, label, wanted, repeat)
        if not (folder / "run.json").exists():
            raise UserError(f"{label} has no ended run {repeat} for {wanted} in {self.folder}: run it first.")
        return read_run(folder)

    def report(self, system: str, query_id: str | None = None, repeat: int = 1) -> str:
        """The report of that run in markdown, with numbered sources; empty if the run failed."""
        run = self.run(system, query_id, repeat)
        return render_report(run.report, self.evidence(run)).text if run.report else ""

    def reports(self) -> "list[RecordedAnswer]":
        """Every ended run, with the evidence that its tools returned; ``.report`` is empty if the run failed."""
        return [RecordedAnswer(run, self.evidence(run), self.folder) for run in self]

    @property
    def scores(self) -> "RecordedScores | None":
        """The scores in the folder, without judging again; None if nothing was scored yet."""
        kept = read_scores(self.folder)
        return None if kept is None else RecordedScores.of(kept, self.folder)

    def evidence(self, run: Run) -> tuple[Evidence, ...]:
        """All evidence that the run's tools returned."""
        return read_evidence(run_folder(self.folder, run.system, run.query_id, run.repeat))

    def __repr__(self) -> str:
        planned = self.definition
        asked = f"{counted(len(planned.systems), 'system')}, {counted(len(planned.queries), 'query')}"
        return f"<RecordedExperiment {self.folder}: {asked}, {counted(sum(1 for _ in self), 'run')}>"

    def _repr_html_(self) -> str:
        """A table of each system's progress."""
        planned, states = self.definition, Counter((run.system, run.status) for run in self)
        rows = [
            (label, len(planned.queries_of(label)), states[label, "done"], states[label, "failed"])
            for label in planned.systems
        ]
        return table_cell(table_of(str(self.folder), ["System", "queries", "runs done", "runs failed"], rows))


def open_experiment(folder: str | Path) -> RecordedExperiment:
    """The experiment in a folder, to read its runs, reports and scores. Raises UserError if there is none."""
    experiment = RecordedExperiment(folder_of(folder))
    read_definition(experiment.folder)
    return experiment


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """A run and its evidence. A notebook shows the report, with every claim marked, and the steps."""

    run: Run
    """The run; its report contains evidence ids."""
    evidence: tuple[Evidence, ...]
    """The sources behind these ids."""
    experiment: Path | None = None
    """The folder that holds the run; None if it was not kept."""

    @property
    def cart(self) -> Cart | None:
        """The cart that the report proposes; None if it is not known."""
        return cart_of(self.run, {entry.id: entry for entry in self.evidence})

    @property
    def report(self) -> str:
        """The report in markdown with numbered sources, then the cart if it is known; empty if the run failed."""
        return self.rendered("markdown")

    def rendered(self, style: Style) -> str:
        """``report`` in a style; in plain style, the numbers of its sources are no links."""
        text = render_report(self.run.report or "", self.evidence, style=style).text
        cart = self.cart
        return text if cart is None or not text.strip() else f"{text.rstrip()}\n\n{cart_markdown(cart)}"

    def __repr__(self) -> str:
        words = len((self.run.report or "").split())
        return f"<RecordedAnswer {self.run.run_id}: {self.run.status}, {words:,} words, {len(self.run.steps)} steps>"

    def _repr_html_(self) -> str:
        if self.experiment is None:
            return report_cell(self.run, self.evidence)
        return run_cell(self.experiment, self.run)


By = Literal["system", "query", "statement"]
ROWS = Plugins("kind of row", {"system": "", "query": ""}, "drretail.rows")
ALL = "all"
_KEYS = ("metric", "variant", "policy", "rules", "judge", "system")
_KEYS_OF_RUNS = (*_KEYS, "query_id", "repeat")


@dataclass(frozen=True, slots=True)
class JudgingOutcome:
    """What became of the judging that ``score`` was asked for."""

    metrics: frozenset[str] = frozenset()
    """The requested metrics, by the names that their rows have."""
    spent: Sequence[JudgingCost] = ()
    """What all judging of the experiment has taken so far."""
    failed: int = 0
    """Questions of these metrics, judges, rules and pairs without a usable answer."""
    compared_nothing: bool = False
    """True if pairwise was requested and no query has reports of two compared systems."""
    unfetched: int = 0
    """Claims that are n/a because a page that they cite was not fetched."""
    closing: str | None = None
    """A sentence on the cap, if it was reached."""


class RecordedScores(Scores):
    """The scores of an experiment as data frames, and as its scoreboard in a notebook."""

    _folder: Path | None = PrivateAttr(None)
    _metrics: tuple[Metric, ...] = PrivateAttr(())
    _judging: JudgingOutcome = PrivateAttr(JudgingOutcome())

    @classmethod
    def of(
        cls, scores: Scores, folder: Path, metrics: Iterable[Metric] = (), judging: JudgingOutcome | None = None
    ) -> "RecordedScores":
        """The scores of the experiment in a folder. ``metrics`` are those that can't be found by name."""
        made = cls.model_construct(**dict(scores))
        made._folder, made._metrics, made._judging = folder, tuple(metrics), judging or JudgingOutcome()
        return made

    @property
    def judging(self) -> JudgingOutcome:
        """What became of the judging; empty if the scores were only read."""
        return self._judging

    def to_pandas(
        self,
        by: By = "system",
        *,
        metric: str | None = None,
        judge: str | None = None,
        rules: str | None = None,
        policy: str | None = None,
    ) -> "pandas.DataFrame":
        """The scores as a data frame with one row per number, which the index tells apart from all others.

        The index has metric, variant, policy, rules, judge and system; ``["value"].unstack("system")`` has a column for
        each system. Beside a value stand its interval and what it is over: ``n`` of ``n_planned`` reports.

        With ``by="query"`` there is a row for each planned run, and query_id and repeat are in the index as well. A
        value is what the run counts in the system's mean, so it is 0 for a failed run in a headline; ``state`` and
        ``why`` say whether and why the run has no value of its own. Pooled variants have no rows.

        With ``by="statement"`` there is a row for each statement of an assistant's answers that was looked at, as
        ``export --format statements`` writes them; the other arguments then say nothing.

        ``metric``, ``judge``, ``rules`` and ``policy`` keep the rows that have these. Without ``policy`` the rows are
        those that tables show: of a headline over all planned runs, of other variants over those answered. "all" keeps
        every judge, rules or policy. Raises UnknownName for a name that no row has, and UserError if a number is there
        by several judges or rules and none is named, or if pandas is not installed.
        """
        pandas = library("pandas")
        if by not in ROWS.built_in:
            columns, others = self._other_rows(by)
            return pandas.DataFrame(others, columns=columns)
        rows = self._rows(by, {"metric": metric, "judge": judge, "rules": rules, "policy": policy})
        frame = pandas.DataFrame(rows, columns=None if rows else [*_KEYS, "value"])
        return frame.set_index([*(_KEYS_OF_RUNS if by == "query" and rows else _KEYS)])

    def to_polars(
        self,
        by: By = "system",
        *,
        metric: str | None = None,
        judge: str | None = None,
        rules: str | None = None,
        policy: str | None = None,
    ) -> "polars.DataFrame":
        """As ``to_pandas``, with the index as columns. Raises as it does."""
        polars = library("polars")
        rows = self._rows(by, {"metric": metric, "judge": judge, "rules": rules, "policy": policy})
        return polars.DataFrame(rows, infer_schema_length=None)

    def _rows(self, by: By, asked: Mapping[str, str | None]) -> list[dict[str, Any]]:
        """The rows with these values, the keys first."""
        if by not in ROWS.built_in:
            return self._other_rows(by)[1]
        if by == "query":
            chosen = _chosen([asdict(value) for value in self._run_values()], asked)
            return [{**{key: row[key] for key in _KEYS_OF_RUNS}, **_without(row, "items", "name")} for row in chosen]
        found = [row.model_dump(mode="json") | {"n": row.n, "judge": name_of(_judge(row))} for row in self.scores]
        return [
            {
                **{key: row[key] for key in (*_KEYS, "value", "ci_low", "ci_high", "n", "n_planned")},
                **_without(row, "items", "judge_params"),
            }
            for row in _chosen(found, asked)
        ]

    def _other_rows(self, by: str) -> tuple[list[str], list[dict[str, Any]]]:
        """The columns and rows of an add-on's kind."""
        rows = cast(Callable[[Path], tuple[list[str], list[dict[str, Any]]]], ROWS.load(by)[1])
        return rows(self._known_folder)

    @property
    def _known_folder(self) -> Path:
        if self._folder is None:
            raise UserError("These scores were not read from an experiment: open_experiment(FOLDER).scores has values.")
        return self._folder

    def _run_values(self) -> Iterator[RunValue]:
        folder, own = self._known_folder, {metric.name: metric for metric in self._metrics}
        found = (own.get(name) or recorded_metric(folder, name) for name in self.metrics)
        return run_values(read_judgements(folder, [metric for metric in found if metric is not None]))

    def __repr__(self) -> str:
        systems = len({row.system for row in self.scores})
        metrics = ", ".join(self.metrics)
        return f"<RecordedScores: {counted(systems, 'system')}, {metrics or 'nothing scored'}>"

    def __str__(self) -> str:
        """The scoreboard as ``report --format text`` prints it."""
        if self.scoreboard is None:
            return repr(self)
        return on_screen("\n".join(board_lines(self.scoreboard, ()))).rstrip()

    def _repr_html_(self) -> str:
        return scores_cell(self)


def _chosen(rows: Sequence[dict[str, Any]], asked: Mapping[str, str | None]) -> list[dict[str, Any]]:
    """The rows with the values that are asked for; raises as ``to_pandas`` says."""
    rows = list(rows)
    for name, wanted in asked.items():
        known = {row[name] for row in rows}
        if wanted not in (None, ALL, *known):
            raise UnknownName("set of rules" if name == "rules" else f"scored {name}", str(wanted), sorted(known))
        if wanted not in (None, ALL):
            rows = [row for row in rows if row[name] == wanted]
    if asked["policy"] is None:
        planned = {_place(row) for row in rows if row["policy"] == "planned"}
        rows = [row for row in rows if row["policy"] == "planned" or _place(row) not in planned]
    for name, called in (("rules", "rules"), ("judge", "judges")):
        found: dict[tuple[str, str], set[str]] = defaultdict(set)
        for row in rows:
            found[row["metric"], row["variant"]].add(row[name])
        mixed = sorted({each for its in found.values() if len(its) > 1 for each in its})
        if mixed and asked[name] is None:
            one_of = ", ".join(mixed)
            raise UserError(f'These are numbers by several {called}: say {name}= one of {one_of}, or "{ALL}".')
    return rows


def _judge(row: Score) -> JudgeRef:
    return JudgeRef(spec=row.judge, kind=row.judge_kind, params_hash=row.judge_params)


def _place(row: Mapping[str, Any]) -> tuple[str, ...]:
    """All keys of a row but its policy."""
    return tuple(row[key] for key in _KEYS if key != "policy")


def _without(row: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}
