"""The reference baskets of an experiment: made whole from its world, and kept as counts, ends and a digest."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.eval.baskets import has_decision
from drretail.eval.check_results import Checklist
from drretail.eval.judging.subject import Subject, planned_runs, read_subject
from drretail.eval.judging.verdicts import VerdictFile, verdict_files
from drretail.experiment import read_definition, read_reference, read_runs, reference_path, write_sealed
from drretail.records.query import KeptReference, Reference


def made_references(experiment: Path, world: World | None, offers: Offers | None = None) -> dict[str, Reference]:
    """The reference of each query, by its id; empty without the world, and for imported reports, which have none.

    ``offers`` are the world's, if look-ups are shared with others.
    """
    definition = read_definition(experiment)
    if world is None or definition.world_fingerprint is None:
        return {}
    offers = offers or Offers(world)
    return {query.query_id: offers.reference(query) for query in definition.queries}


def kept_references(experiment: Path, references: Mapping[str, Reference]) -> dict[Path, KeptReference]:
    """What an experiment with these runs keeps of the references, by its place."""
    undecided: dict[str, dict[str, str]] = defaultdict(dict)
    definition = read_definition(experiment)
    for planned in planned_runs(experiment, definition):
        whole = references.get(planned.query.query_id)
        # Of a wish that the shop can meet, any refusal is a decision: its runs need not be read.
        if whole is None or whole.proof is None or whole.proof.state == "refuted":
            continue
        subject = replace(read_subject(experiment, definition, planned, None), whole=whole)
        case = subject.case
        if subject.report_sha is not None and has_decision(case, None) and not has_decision(case, whole):
            undecided[subject.query.query_id][subject.run_id] = subject.report_sha
    return {
        reference_path(experiment, query_id): whole.kept(undecided[query_id]) for query_id, whole in references.items()
    }


def keep_references(experiment: Path, references: Mapping[str, Reference]) -> None:
    """Keeps what scores need of the references once the world is gone, whatever was kept before."""
    write_sealed(experiment, kept_references(experiment, references))


def is_decided(subject: Subject) -> bool:
    """``has_decision`` of a run, also where only its experiment tells it."""
    ends = subject.ends
    if isinstance(ends, KeptReference):
        return ends.undecided.get(subject.run_id) != subject.report_sha and has_decision(subject.case, None)
    return has_decision(subject.case, subject.reference)


def check_references(experiment: Path, references: Mapping[str, Reference], checklist: Checklist) -> None:
    """Compares what an experiment keeps of its references, whole or not, with those that its world gives."""
    for path, anew in kept_references(experiment, references).items():
        name = path.relative_to(experiment)
        if not path.exists():
            if path.parent.exists():
                checklist.fail("versions", name, "it is missing, and others like it are there")
            continue
        checklist.checked["versions"] += 1
        recorded = read_reference(experiment, anew.query_id)
        if isinstance(recorded, KeptReference):
            is_same = recorded.model_copy(update={"undecided": anew.undecided}) == anew
            # Of a report that is not scored yet, nothing is kept.
            if differing := recorded.undecided.items() ^ anew.undecided.items():
                is_same = is_same and differing.isdisjoint(_scored_reports(experiment))
        else:
            is_same = recorded == references[anew.query_id]
        if not is_same:
            checklist.fail("versions", name, "it is not what the world gives", "Delete it and score again.")


def _scored_reports(experiment: Path) -> set[tuple[str, str]]:
    """The ids of runs with the hashes of their reports, as far as these have verdicts."""
    verdicts = (verdict for path in verdict_files(experiment) for verdict in VerdictFile(path).lasts())
    judged = {(verdict.run_id, verdict.report_sha) for verdict in verdicts}
    return judged & {(run.run_id, run.report_sha) for run in read_runs(experiment)}
