"""Rollouts as runs of an experiment, for ``score`` and pages; and what the recorded runs of any system are worth."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from drretail.agents.base import Agent
from drretail.agents.client_prompts import question_prompt
from drretail.agents.running.new_experiment import open_experiment
from drretail.agents.running.runner import Recorded, recorded_in
from drretail.agents.running.system import SystemUnderTest
from drretail.errors import ModelError, UserError
from drretail.experiment import Experiment, read_definition
from drretail.gym.env import ShopEnv
from drretail.gym.reward import Reward
from drretail.gym.shop import Shop
from drretail.llm.models import Models
from drretail.records.query import Task
from drretail.records.run import Answer, Limits, Run


def save_rollouts(to: str | Path, env: ShopEnv, rollouts: Iterable[Recorded], *, seed: str = "42") -> list[Run]:
    """The runs that were saved: each of ``rollouts``, as the next repeat of its query, in the experiment in ``to``.

    All are of the system of ``env``, whichever envs of its kind they come from. Raises UserError where ``to`` holds
    another experiment, or another process writes there.
    """
    system = env.system
    agent = Agent(_unanswered, roles=(), prompts=lambda: (question_prompt(),))
    made = list(rollouts)
    queries = [env.shop.query(each) for each in dict.fromkeys(recorded.run.query_id for recorded in made)]
    sut = SystemUnderTest(system.label(), system, agent, {})
    references = env.shop.references
    with open_experiment(
        Path(to),
        env.shop.world,
        queries,
        [sut],
        seed,
        reference=lambda query_: references[query_.query_id],
        is_part=True,
    ) as experiment:
        return [_save(experiment, recorded, sut.label) for recorded in made]


def recorded_rewards(folder: str | Path, shop: Shop) -> Iterator[tuple[Run, Reward]]:
    """Every run of an experiment with what it is worth, by label and query, but for queries that nothing is paid for.

    Raises UserError for an experiment of another world.
    """
    made_in, here = read_definition(Path(folder)).world_fingerprint, shop.world.manifest.fingerprint
    if made_in is None:
        raise UserError(f"{folder} holds imported reports, which have no world.")
    if made_in != here:
        raise UserError(f"{folder} was made on the world {made_in[:12]}, and this is {here[:12]}: open that world.")
    for path in sorted((Path(folder) / "runs").glob("*/*/run.json")):
        recorded = recorded_in(path.parent)
        if recorded.run.query_id in shop.queries:
            yield recorded.run, shop.reward(recorded)


def _save(experiment: Experiment, recorded: Recorded, label: str) -> Run:
    query_id, repeat = recorded.run.query_id, 1
    while experiment.state(label, query_id, repeat) != "absent":
        repeat += 1
    named = {"system": label, "repeat": repeat, "run_id": f"{label}/{query_id}-r{repeat}"}
    run = recorded.run.model_copy(update=named)
    experiment.save(run, recorded.evidence, recorded.texts, recorded.telemetry)
    return run


async def _unanswered(task: Task, session: object, models: Models, limits: Limits) -> Answer:
    raise ModelError("agent", "a rollout is made by its policy, and can't be run anew")
