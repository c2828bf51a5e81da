"""The intermediate reports of a run, and what they say of a source."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from drretail.experiment import read_results, run_folder
from drretail.grounding.report.reading import read_by_form
from drretail.grounding.verify.records import Ledger
from drretail.parsing import parse_json
from drretail.records.evidence import Evidence, IntermediateReport
from drretail.records.reading import ReadValue
from drretail.records.run import Run

SYNTHESIS = "synthesis"
Says = Callable[[str], bool]
"""Whether a text says what is true."""


@dataclass(frozen=True, slots=True)
class HandedOn:
    """What the writer of a report was handed by researchers; ``reports`` by the researcher's path."""

    reports: Mapping[str, IntermediateReport]

    def about(self, source: str) -> Mapping[str, str]:
        """By path: what an intermediate report says of a source, each statement with its citations."""
        passages = {path: _about(report, source) for path, report in self.reports.items()}
        return {path: text for path, text in passages.items() if text}

    def with_truth(self, source: str, says: Says) -> str | None:
        """The path of the first report that says of a source what is true."""
        return next((path for path, text in self.about(source).items() if says(text)), None)

    def with_another(self, value: ReadValue, evidence: Mapping[str, Evidence], ledger: Ledger) -> str | None:
        """The path of the first report with a value of this kind and these sources that the records contradict."""
        for path, text in {path: text for each in value.of for path, text in self.about(each).items()}.items():
            read = read_by_form(text, tuple(evidence.values()), ledger).values
            if any(
                read_value.state == "contradicted"
                and read_value.kind == value.kind
                and set(read_value.of) & set(value.of)
                for read_value in read
            ):
                return path
        return None


def handed_on(experiment: Path | None, run: Run) -> HandedOn | None:
    """The intermediate reports of a run; None for an agent that has no such thing, and where nobody kept them."""
    steps = [step for step in run.steps if step.kind == SYNTHESIS]
    if experiment is None or not steps:
        return None
    texts = read_results(run_folder(experiment, run.system, run.query_id, run.repeat))
    # Of one researcher the last that can be read is what was handed on: what came before was refused.
    found = {step.path: report for step in steps if (report := _read(texts.get(step.result_sha or "", ""))) is not None}
    return HandedOn(found)


def _read(text: str) -> IntermediateReport | None:
    try:
        return IntermediateReport.model_validate(parse_json(text))
    except (ValueError, ValidationError):
        return None


def _about(report: IntermediateReport, source: str) -> str:
    """In lines of their own, each behind its citations as in a report."""
    lines = [(insight.statement, insight.citations) for insight in report.insights if source in insight.citations]
    lines += [(f"{note.title}: {note.facts}", (note.evidence,)) for note in report.sources if note.evidence == source]
    return "\n\n".join(f"{text} {''.join(f'[{each}]' for each in cited)}" for text, cited in lines)
