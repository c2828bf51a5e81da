"""An experiment's folder, to be read."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from drretail.agents.running.outcomes import Tally
from drretail.errors import UnknownName, UserError
from drretail.eval.judging.pairs import resolve_name
from drretail.experiment import Definition, read_definition, read_evidence, read_run, read_runs, run_folder
from drretail.grounding.report.render import render_report
from drretail.records.evidence import Evidence
from drretail.records.run import Run
from drretail.viewer.cart import Cart, cart_markdown, cart_of


@dataclass(frozen=True, slots=True)
class RecordedExperiment:
    """The runs of an experiment, read from its folder each time they are asked for."""

    folder: Path
    tallies: tuple[Tally, ...] = ()
    """What became of the runs that were asked for, by system; empty where the folder was only opened."""
    closing: str | None = None
    """Why runs were not started, where a cap on tokens or dollars was reached."""
    next_command: str | None = None
    """What scores the runs with what their sandbox knows of good answers, where it knows any."""

    @property
    def is_complete(self) -> bool:
        """True when every run that was asked for was made, and none of them failed."""
        return not any(tally.failed or tally.not_started for tally in self.tallies)

    @property
    def definition(self) -> Definition:
        """What the experiment asks: its queries, systems and seed."""
        return read_definition(self.folder)

    @property
    def systems(self) -> list[str]:
        """The labels of its systems."""
        return list(self.definition.systems)

    def __iter__(self) -> Iterator[Run]:
        return read_runs(self.folder)

    def run(self, system: str, query_id: str | None = None, repeat: int = 1) -> Run:
        """The run of a system for a query, which may be left out where there is one only.

        A label's beginning will do where no other label begins so. Raises UnknownName for a system or query that is
        not there, UserError for one that could be several, and where the run has not ended.
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
        """The report of that run in markdown, with numbered sources; empty where the run failed."""
        run = self.run(system, query_id, repeat)
        return render_report(run.report, self.evidence(run)).text if run.report else ""

    def evidence(self, run: Run) -> tuple[Evidence, ...]:
        """All that the run's tools handed out."""
        return read_evidence(run_folder(self.folder, run.system, run.query_id, run.repeat))


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """The run that answered one question, and all that its tools handed out."""

    run: Run
    evidence: tuple[Evidence, ...]

    @property
    def cart(self) -> Cart | None:
        """What the report puts into the cart; None where that is not known."""
        return cart_of(self.run, {entry.id: entry for entry in self.evidence})

    @property
    def report(self) -> str:
        """The report in markdown with numbered sources, then the cart where it is known; empty where the run failed."""
        text = render_report(self.run.report or "", self.evidence).text
        cart = self.cart
        return text if cart is None or not text.strip() else f"{text.rstrip()}\n\n{cart_markdown(cart)}"
