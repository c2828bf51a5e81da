"""An experiment as a JSON document: what the page shows without evidence and steps."""

from typing import Any

from drretail.viewer.experiment import ClaimsView, ExperimentView
from drretail.viewer.judged import support_counts


def summary_of(view: ExperimentView) -> dict[str, Any]:
    """Runs with their claims and findings, and the scores as they are recorded."""
    runs: list[dict[str, Any]] = []
    for run in view.runs:
        error = run.run.error if run.run else None
        picks = run.run.picks if run.run else None
        runs.append(
            {
                "run_id": run.subject.run_id,
                "state": run.state,
                "error": error and error.model_dump(mode="json"),
                "query": run.subject.query.text,
                "claims": [_claims(claims) for claims in run.claims],
                "findings": [finding.model_dump(mode="json", exclude_none=True) for finding in run.checks.findings],
                "checks_made": list(run.checks.made),
                "read": run.checks.read,
                "picks": None if picks is None else [pick.model_dump(mode="json") for pick in picks],
                "stale_verdicts": run.stale,
            }
        )
    return {
        "experiment": view.name,
        "world_fingerprint": view.definition.world_fingerprint,
        "systems": sorted(view.definition.systems),
        "runs": runs,
        "scores_outdated": view.outdated or None,
        "scoreboard": view.scores.scoreboard and view.scores.scoreboard.model_dump(mode="json", exclude_none=True),
        "scores": None
        if not view.is_scored
        else [s.model_dump(mode="json", exclude_none=True) for s in view.scores.scores],
    }


def _claims(view: ClaimsView) -> dict[str, Any]:
    return {
        "judge": view.judged.judge.model_dump(mode="json"),
        "rules": view.judged.rules,
        "counts": support_counts(view.claims),
        "claims": [
            {
                "number": claim.number,
                "claim": claim.text,
                "support": claim.support,
                "types": list(claim.types),
                "span": None if claim.span is None else list(claim.span),
            }
            for claim in view.claims
        ],
    }
