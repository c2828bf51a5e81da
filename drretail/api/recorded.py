"""Recorded experiments, for code and for notebooks."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drretail.agents.running.outcomes import Tally
from drretail.api.options.shared import folder_of
from drretail.errors import UnknownName, UserError
from drretail.eval.judging.pairs import resolve_name
from drretail.eval.scores.file import read_scores
from drretail.experiment import Definition, read_definition, read_evidence, read_run, read_runs, run_folder
from drretail.grounding.report.render import render_report
from drretail.records.evidence import Evidence
from drretail.records.run import Run
from drretail.records.score import Scores
from drretail.screen import on_screen
from drretail.tables.figures import counted
from drretail.tables.table import table_of
from drretail.viewer.cart import Cart, cart_markdown, cart_of
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
    """The command that scores the runs against the reference answers of their sandbox, if it has any."""

    @property
    def is_complete(self) -> bool:
        """True if every requested run was made, and none failed or lost a part of itself to a provider."""
        return all(tally.is_complete for tally in self.tallies)

    @property
    def definition(self) -> Definition:
        """The experiment's queries, systems and seed."""
        return read_definition(self.folder)

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
        return None if kept is None else RecordedScores.model_construct(**dict(kept))

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
        text = render_report(self.run.report or "", self.evidence).text
        cart = self.cart
        return text if cart is None or not text.strip() else f"{text.rstrip()}\n\n{cart_markdown(cart)}"

    def __repr__(self) -> str:
        words = len((self.run.report or "").split())
        return f"<RecordedAnswer {self.run.run_id}: {self.run.status}, {words:,} words, {len(self.run.steps)} steps>"

    def _repr_html_(self) -> str:
        if self.experiment is None:
            return report_cell(self.run, self.evidence)
        return run_cell(self.experiment, self.run)


class RecordedScores(Scores):
    """The scores of an experiment as data frames, and as its scoreboard in a notebook."""

    def to_pandas(self) -> "pandas.DataFrame":
        """``scores`` as a data frame: one row per system, variant and judge. Raises UserError if pandas is not
        installed.
        """
        return _library("pandas").DataFrame(self._rows())

    def to_polars(self) -> "polars.DataFrame":
        """As ``to_pandas``. Raises UserError if polars is not installed."""
        return _library("polars").DataFrame(self._rows(), infer_schema_length=None)

    def _rows(self) -> list[dict[str, Any]]:
        return [row.model_dump(mode="json", exclude={"items"}) for row in self.scores]

    def __repr__(self) -> str:
        systems = len({row.system for row in self.scores})
        families = ", ".join(self.metrics)
        return f"<RecordedScores: {counted(systems, 'system')}, {families or 'nothing scored'}>"

    def __str__(self) -> str:
        """The scoreboard as ``report --format text`` prints it."""
        if self.scoreboard is None:
            return repr(self)
        return on_screen("\n".join(board_lines(self.scoreboard, ()))).rstrip()

    def _repr_html_(self) -> str:
        return scores_cell(self)


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise UserError(f"{name} is not installed: pip install {name}.") from None
