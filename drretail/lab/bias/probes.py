"""All probes by name: who is asked what, and what was found."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import ValidationError

from drretail.errors import UnknownName, UserError
from drretail.eval.registry import PAIRWISE
from drretail.files import read_json
from drretail.lab.bias import drift, justification
from drretail.lab.bias.probe import Case, Probe
from drretail.lab.bias.probed_reports import Reports
from drretail.lab.bias.verdict_probes import LENGTH, OWN_FAMILY, POSITION, SCALE_USE
from drretail.lab.trial_findings import BiasFound, ProbeFound
from drretail.llm.estimates import Estimate, Range, estimate_by_length

PROBES = {
    probe.name: probe
    for probe in (
        POSITION,
        LENGTH,
        OWN_FAMILY,
        justification.PROBE,
        drift.PROBE,
        SCALE_USE,
    )
}
FOLLOWS_RULES = (
    "it follows rules and has no opinions: what it can be probed for is its labels of claims, by lab card and lab plant"
)
ANSWER = Range(60, 400)
"""Tokens of an answer to a probe's own question."""


def named_probes(names: str | None) -> list[Probe]:
    """Those that are named, with commas between; all of them without a name. Raises UnknownName."""
    wanted = [part.strip().replace("-", "_") for part in (names or "").split(",") if part.strip()] or [*PROBES]
    for name in wanted:
        if name not in PROBES:
            raise UnknownName("probe", name, PROBES)
    return [probe for name, probe in PROBES.items() if name in wanted]


def families_of(probes: Iterable[Probe], *, with_pairs: bool) -> list[str]:
    """The families whose verdicts these probes read, each once; without pairwise where there is no pair."""
    found = dict.fromkeys(family for probe in probes for family in probe.families)
    return [family for family in found if with_pairs or family != PAIRWISE]


def has_opinions(case: Case) -> bool:
    """False of a rule-based judge, whom nobody asks for ratings or preferences."""
    return case.judge.ref.kind != "rule_based"


def probe_found(case: Case, probe: Probe) -> ProbeFound:
    """What a probe found, or why nothing; pure, from the verdicts that stand."""
    if not has_opinions(case):
        return ProbeFound(probe=probe.name, judge=case.name, reason=FOLLOWS_RULES)
    found, (failed, unasked) = probe.find(case), case.unanswered(probe)
    effects, reason = ((), found) if isinstance(found, str) else (tuple(found), "")
    return ProbeFound(probe=probe.name, judge=case.name, effects=effects, reason=reason, failed=failed, unasked=unasked)


def bias_found(reports: Reports, found: Sequence[ProbeFound], before: Path) -> BiasFound:
    """What was found now, with what earlier calls found of other judges and by other probes on these very reports."""
    probed = {(row.judge, row.probe) for row in found}
    kept = [row for row in _earlier(before, reports.sha) if (row.judge, row.probe) not in probed]
    order = [*PROBES]
    rows = sorted([*kept, *found], key=lambda row: (row.judge, order.index(row.probe)))
    return BiasFound(reports=reports.sha, probes=tuple(rows))


def _earlier(path: Path, reports: str) -> Iterable[ProbeFound]:
    try:
        earlier = BiasFound.model_validate(read_json(path)) if path.exists() else None
    except (ValidationError, UserError):  # damaged, or of another version; and about to be replaced
        return ()
    if earlier is None or earlier.reports != reports:
        return ()
    return [probe for probe in earlier.probes if probe.probe in PROBES]


def estimate_probe(case: Case, probe: Probe) -> Estimate | None:
    """What the probe's own questions that are not answered yet are likely to take, by their length; None without any.

    Questions about what is not judged yet are told by what is usual.
    """
    if not has_opinions(case):
        return None
    left = [question for question, verdict in case.recorded(probe.name, probe.questions(case)) if verdict is None]
    if not left:
        return None
    judge = case.judge
    return estimate_by_length(
        f"{probe.name}, {judge.ref.spec}",
        [question.characters for question in left],
        ANSWER,
        judge.ref.spec,
        None if judge.model is None else judge.model.price,
        basis="length of what is asked",
        unit="questions",
    )
