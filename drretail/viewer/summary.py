"""An experiment as one JSON document: what the page shows, without evidence and steps."""

from typing import Any

from drretail.viewer.claims import counts_of
from drretail.viewer.experiment import ClaimsView, ExperimentView, RunView


def summary_of(view: ExperimentView) -> dict[str, Any]:
    """Runs with their claims and findings, and the scores as they are recorded."""
    return {
        "experiment": view.name,
        "world_fingerprint": view.definition.world_fingerprint,
        "systems": sorted(view.definition.systems),
        "runs": [_run(run) for run in view.runs],
        "scores_outdated": view.outdated or None,
        "scoreboard": view.scores.scoreboard and view.scores.scoreboard.model_dump(mode="json", exclude_none=True),
        "scores": None
        if not view.is_scored
        else [s.model_dump(mode="json", exclude_none=True) for s in view.scores.scores],
    }


def _run(view: RunView) -> dict[str, Any]:
    subject = view.subject
    picks = None if view.run is None else view.run.picks
    return {
        "run_id": subject.run_id,
        "state": view.state,
        "error": view.run.error.model_dump(mode="json") if view.run and view.run.error else None,
        "query": subject.query.text,
        "claims": [_claims(one) for one in view.claims],
        "findings": [finding.model_dump(mode="json", exclude_none=True) for finding in view.checks.findings],
        "checks_made": list(view.checks.made),
        "read": view.checks.read,
        "picks": None if picks is None else [pick.model_dump(mode="json") for pick in picks],
        "stale_verdicts": view.stale,
    }


def _claims(one: ClaimsView) -> dict[str, Any]:
    return {
        "judge": one.judged.judge.model_dump(mode="json"),
        "rules": one.judged.rules,
        "counts": counts_of(one.claims),
        "claims": [
            {
                "number": claim.number,
                "claim": claim.text,
                "support": claim.support,
                "types": list(claim.types),
                "span": None if claim.span is None else list(claim.span),
            }
            for claim in one.claims
        ],
    }
