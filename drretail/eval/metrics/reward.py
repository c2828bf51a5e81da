"""What the gym pays for each report, without a model (docs/gym.md)."""

from collections.abc import Mapping
from pathlib import Path

from drretail.eval.baskets import NO_REFERENCE, Measured, not_measured
from drretail.eval.judging.question import NO_WORLD
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import description_of, of_measures
from drretail.eval.reward import NO_REPORT, Reward, reward_of
from drretail.experiment import read_definition
from drretail.records.run import GYM_AGENT


def measure(subject: Subject) -> Mapping[str, Measured]:
    """The reward of a run's report, and its parts."""
    reference, lack = subject.reference, NO_REFERENCE
    if reference is not None:
        is_proved = reference.proof is not None and reference.proof.state == "proved"
        lack = None if is_proved else not_measured(subject.query.wish, reference)
    if reference is None or lack is not None:
        return dict.fromkeys(DESCRIPTION.meanings, Measured(None, lack or ""))
    if subject.store is None:
        return dict.fromkeys(DESCRIPTION.meanings, Measured(None, NO_WORLD))
    run, evidence = subject.run, subject.evidence.values()
    earned = (
        Reward(why=NO_REPORT)
        if run is None
        else reward_of(run, evidence, subject.query, reference, subject.store, subject.system)
    )
    return {
        name: Measured(getattr(earned, "value" if name == "reward" else name), earned.why)
        for name in DESCRIPTION.meanings
    }


def lacks_rollouts(experiment: Path) -> str:
    """Why it is not scored unasked; empty if a system's runs are rollouts of the gym."""
    is_gym = any(system.agent == GYM_AGENT for system in read_definition(experiment).systems.values())
    return "" if is_gym else "holds no rollouts of the gym"


DESCRIPTION = description_of("reward")
METRIC = of_measures("reward", 1, measure, DESCRIPTION, lacks=lacks_rollouts)
