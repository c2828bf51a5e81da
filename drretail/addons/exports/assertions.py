"""A gate in pytest: ``assert_no_worse``, a function and a fixture of this name.

def test_my_agent(assert_no_worse):
    assert_no_worse("exp/", "before", "false_answers", margin=.05)
"""

from collections.abc import Callable
from pathlib import Path

import pytest


def assert_no_worse(
    experiment: str | Path, baseline: str, score: str, *, margin: float, system: str | None = None
) -> None:
    """Fails the test unless it is excluded that a system's ``score`` is worse than the baseline's by ``margin``.

    ``experiment`` holds both, judged. Without ``system``, all others but null agents and the oracle are compared. What
    nobody can tell fails, too: too few users, answers that were not judged.
    """
    from drretail.api.compare import compare

    rule = f"{score}:margin={margin:.12g}"
    gates = compare(experiment, system, baseline if system else None, baseline=baseline, fail_if=rule).gates
    told = [f"{gate.rule}: {gate.a} beside {gate.b}: {gate.told}" for gate in gates if gate.state != "passes"]
    if told or not gates:
        pytest.fail("\n".join(told) or f"{rule}: nothing was compared.", pytrace=False)


@pytest.fixture(name="assert_no_worse")
def fixture() -> Callable[..., None]:
    """``assert_no_worse``."""
    return assert_no_worse
