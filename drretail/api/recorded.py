"""Recorded experiments, for code and for notebooks."""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drretail.agents.running.outcomes import Tally
from drretail.api.options.shared import folder_of
from drretail.errors import UserError, check_known
from drretail.experiments.experiment import Definition, path_of, read_definition, read_runs, run_path
from drretail.experiments.run_file import read_evidence, read_run
from drretail.llm.prices import price_notes
from drretail.llm.spending import spending_of
from drretail.llm.usage import served_notes, usage_by_model
from drretail.records.account import Account
from drretail.records.evidence import Evidence
from drretail.records.figures import counted
from drretail.records.run import BASELINES, Run
from drretail.reports.render import Style, render_report
from drretail.viewer.drawing.result import Markdown, Part, Result
from drretail.viewer.drawing.table import table_of

if TYPE_CHECKING:
    from drretail.api.recorded_scores import RecordedScores
    from drretail.viewer.cart import CartLines

# What judges, and what shows results, is imported where it is used: no agent needs it for its work.
MOST_FAILURES_SHOWN = 10
"""Most runs fail for one reason; `report` shows all."""


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
    def account(self) -> Account:
        """What became of the requested runs, all systems together; failed ones by the kind of their error."""
        account = Account("run", "run")
        for tally in self.tallies:
            account.take(tally.done + tally.failed + tally.not_started)
            account.use(tally.done)
            for failure in tally.failures:
                run_id, kind, _ = failure.split(": ", 2)
                account.leave_out(f"failed: {kind}", run_id, failed=True)
            account.leave_out("not started: a cap was reached", tally.label, tally.not_started, failed=True)
        return account

    def result(self) -> "Result[RecordedExperiment]":
        """What became of the requested runs and what they took, with failures and what can be done about them."""
        from drretail.viewer.tables.tallies import outcome_notes, outcome_table, spending_table

        systems = self.definition.systems
        researching = {tally.label for tally in self.tallies if systems[tally.label].agent not in BASELINES}
        spent = [row for row in spending_of(self.folder) if row.label in researching]
        document = {
            "experiment": str(self.folder),
            # As null, tokens are unknown.
            "systems": [asdict(tally) | {"tokens": tally.tokens or None} for tally in self.tallies],
            "spending": [row.document for row in spent],
        }
        parts: list[Part] = [outcome_table(self.folder, self.tallies, researching)]
        priced: list[str] = []
        if spent:  # floors and the oracle cost nothing
            parts.append(spending_table(spent))
            unknown = {spec for row in spent for spec in row.unpriced}
            priced = price_notes(unknown, frozenset[str]().union(*(row.prices for row in spent)))
            used = ({role: cost.usage for role, cost in row.by_role.items()} for row in spent)
            models = (systems[row.label].models for row in spent)
            priced += served_notes(pair for each in map(usage_by_model, used, models) for pair in each)
        failures = [f"failed: {failure}" for tally in self.tallies for failure in tally.failures]
        tracebacks = [
            f"{run.run_id}:\n{run.error.traceback}"
            for run in (self if failures else ())
            if run.error is not None and run.error.traceback
        ]
        closing = [] if self.closing is None else [self.closing]
        after = [f"Next: {self.next_command}"] if self.next_command is not None else []
        return Result(
            self,
            document,
            parts,
            notes=[*priced, *failures[:MOST_FAILURES_SHOWN], *outcome_notes(self.tallies), *closing, *after],
            left=not self.is_complete,
            accounts=[self.account] if self.account.came else [],  # else the shard is empty
            tracebacks=tracebacks[:MOST_FAILURES_SHOWN],
            path=self.folder,
        )

    @property
    def definition(self) -> Definition:
        """The experiment's queries, systems and seed."""
        return read_definition(self.folder)

    @property
    def commands(self) -> list[str]:
        """The commands that make it again, as its page shows them.

        W stands for the world's folder, and queries.jsonl for a file of ``definition.queries``.
        """
        from drretail.viewer.commands import commands
        from drretail.viewer.experiment import read_view

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
        from drretail.eval.judging.subject import resolve_name

        definition = self.definition
        label = resolve_name("system", system, definition.systems)
        ids = [query.query_id for query in definition.queries]
        if query_id is None and len(ids) > 1:
            raise UserError(f"The experiment holds {len(ids)} queries: name one, such as {ids[0]}.")
        wanted = query_id or ids[0]
        check_known("query", ids, wanted)
        path = run_path(self.folder, label, wanted, repeat)
        if not path.exists():
            raise UserError(f"{label} has no ended run {repeat} for {wanted} in {self.folder}: run it first.")
        return read_run(path)

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
        from drretail.api.recorded_scores import RecordedScores
        from drretail.eval.numbers.file import read_scores

        scores = read_scores(self.folder)
        return None if scores is None else RecordedScores.of(scores, self.folder)

    def evidence(self, run: Run) -> tuple[Evidence, ...]:
        """All evidence that the run's tools returned."""
        return read_evidence(path_of(self.folder, run))

    def __repr__(self) -> str:
        planned = self.definition
        sizes = f"{counted(len(planned.systems), 'system')}, {counted(len(planned.queries), 'query')}"
        return f"<RecordedExperiment {self.folder}: {sizes}, {counted(sum(1 for _ in self), 'run')}>"

    def _repr_html_(self) -> str:
        """A table of each system's progress."""
        from drretail.viewer.page.document import table_cell

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
    """A run and its evidence."""

    run: Run
    """The run; its report contains evidence ids."""
    evidence: tuple[Evidence, ...]
    """The sources behind these ids."""
    experiment: Path | None = None
    """The folder that holds the run; None if it was not kept."""

    def result(self) -> "Result[RecordedAnswer]":
        """The report with numbered references, and what the research took, or why the run failed."""
        from drretail.viewer.tables.tallies import CALLS_NO_TOOLS, took_line

        run = self.run
        if run.error is not None:
            failed = f"The run failed ({run.error.kind}): {run.error.message}"
            advice = [CALLS_NO_TOOLS] if run.error.kind == "no_research" else []
            return Result(self, self.document, notes=[failed, *advice], left=1)
        # A terminal shows the address of a source once.
        text = self.rendered("plain") if sys.stdout.isatty() else self.report
        asked = {step.role: step.name for step in run.steps if step.name is not None and step.kind != "tool"}
        others = served_notes((asked[role], used) for role, used in run.usage.items() if role in asked)
        notes = [took_line(run, self.experiment), *others]
        return Result(self, self.document, [Markdown(text)], notes=notes)

    @property
    def document(self) -> dict[str, Any]:
        """The run with its rendered report and its cart, for ``--json``."""
        from drretail.viewer.cart import cart_document

        run = self.run.model_dump(mode="json", exclude_none=True)
        if self.run.report is None:
            return {"run": run}
        rendered = render_report(self.run.report, self.evidence)
        references = [
            {"label": source.label, "evidence_id": source.evidence_id, "title": source.title, "url": source.url}
            for source in rendered.references
        ]
        document = {"run": run, "report_markdown": rendered.text, "references": references}
        return document if self.cart is None else document | {"cart": cart_document(self.cart)}

    @property
    def cart(self) -> "CartLines | None":
        """The cart that the report proposes; None if it is not known."""
        from drretail.viewer.cart import cart_of

        return cart_of(self.run, {entry.id: entry for entry in self.evidence})

    @property
    def report(self) -> str:
        """The report in markdown with numbered sources, then the cart if it is known; empty if the run failed."""
        return self.rendered("markdown")

    def rendered(self, style: Style) -> str:
        """``report`` in a style; in plain style, the numbers of its sources are no links."""
        from drretail.viewer.cart import cart_markdown

        text = render_report(self.run.report or "", self.evidence, style=style).text
        cart = self.cart
        return text if cart is None or not text.strip() else f"{text.rstrip()}\n\n{cart_markdown(cart)}"

    def __repr__(self) -> str:
        words = len((self.run.report or "").split())
        return f"<RecordedAnswer {self.run.run_id}: {self.run.status}, {words:,} words, {len(self.run.steps)} steps>"
