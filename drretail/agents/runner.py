"""One query, one system, one recorded run; the only place where a Run is made."""

import asyncio
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from langgraph.errors import GraphRecursionError

from drretail import __version__
from drretail.agents.base import Agent
from drretail.effects import Journal
from drretail.env.session import Session
from drretail.env.world import World
from drretail.errors import ModelError, UserError
from drretail.experiment import Definition, Experiment, read_evidence, read_run, run_folder
from drretail.grounding.citations import find_citations
from drretail.llm.models import Models
from drretail.llm.registry import Model
from drretail.records.base import sha256_of
from drretail.records.evidence import Evidence
from drretail.records.query import Query, Task
from drretail.records.run import Answer, Role, RoleModel, Run, RunError, Step, System
from drretail.tools.registry import tool_schema_hash
from drretail.trajectory import Trajectory


@dataclass(frozen=True, slots=True)
class Contestant:
    """A system with all that is needed to run it."""

    label: str
    system: System
    agent: Agent
    models: Mapping[Role, Model]

    @classmethod
    def of(cls, name: str, agent: Agent, models: Mapping[str, Model], world: World, **given: Any) -> Self:
        """The system of ``agent`` with ``models`` by role, the one under "" for every role not named.

        ``given`` sets further fields of System. Raises UserError when a role is left without a model.
        """
        by_role: dict[Role, Model] = {}
        for role in agent.roles:
            model = models.get(role) or models.get("")
            if model is None:
                raise UserError(f"The agent {name} needs a model for {role}: add --model PROVIDER:MODEL.")
            by_role[role] = model
        system = System(
            agent=name,
            web_provider=world.web.provider,
            web_corpus=world.web.corpus,
            models={role: RoleModel(spec=model.spec, kind=model.info.kind) for role, model in by_role.items()},
            **given,
        )
        return cls(system.label(), system, agent, by_role)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run with what it saw, and what of it is volatile."""

    run: Run
    evidence: tuple[Evidence, ...]
    texts: dict[str, str]
    telemetry: dict[str, Any]


@dataclass(slots=True)
class Tally:
    """What became of one system's runs; tool calls and tokens are those of all of them."""

    label: str
    done: int = 0
    failed: int = 0
    before: int = 0
    """How many of these had ended earlier."""
    tool_calls: int = 0
    tokens: int = 0
    failures: list[str] = field(default_factory=list[str])
    """One sentence for each failed run."""

    def count(self, run: Run, *, before: bool) -> None:
        self.done += run.status == "done"
        self.failed += run.status == "failed"
        self.before += before
        self.tool_calls += sum(step.kind == "tool" for step in run.steps)
        self.tokens += sum(usage.total for usage in run.usage.values())
        if run.error is not None:
            self.failures.append(f"{run.run_id}: {run.error.kind}: {run.error.message}")


@dataclass(slots=True)
class Runner:
    """Runs contestants in one world.

    ``on_run`` is told which run begins, ``on_step`` of each step with the text that it brought.
    """

    world: World
    world_spec: str
    tool_timeout: float = 30
    tool_threads: int = 4
    on_run: Callable[[str, Query], None] | None = None
    on_step: Callable[[Step, str], None] | None = None
    replay: Path | None = None
    """An experiment folder whose journals answer everything: no connection is made."""

    async def run(self, contestant: Contestant, query: Query, repeat: int = 1, journal: Path | None = None) -> Recorded:
        """The run of one system for one query; a failure is recorded in it, never raised."""
        effects = Journal(journal, replay=self._replayed(contestant.label, query, repeat))
        session = self._session(contestant, query, effects)
        models = Models(contestant.models, effects, session.trajectory, contestant.system.limits)
        began = time.monotonic()
        try:
            ended = await _answered(contestant, query, session, models)
        finally:
            effects.close()
        run = self._run(contestant, query, repeat, session, models, ended)
        telemetry = self._telemetry(effects, time.monotonic() - began)
        return Recorded(run, session.ledger.evidence(), session.trajectory.texts(), telemetry)

    def run_into(self, experiment: Experiment, contestant: Contestant, query: Query, repeat: int = 1) -> Run:
        """``run``, journalled and saved in the experiment's folder; goes on where a cut run stopped."""
        folder = experiment.run_folder(contestant.label, query.query_id, repeat)
        recorded = asyncio.run(self.run(contestant, query, repeat, folder / "journal.jsonl"))
        experiment.save(recorded.run, recorded.evidence, recorded.texts, recorded.telemetry)
        return recorded.run

    def run_all(
        self,
        experiment: Experiment,
        contestants: Sequence[Contestant],
        queries: Sequence[Query],
        repeats: int = 1,
        *,
        retry_failed: bool = False,
    ) -> list[Tally]:
        """Every contestant over every query. Runs that have ended are not run again, failed ones only if asked."""
        tallies: list[Tally] = []
        for contestant in contestants:
            tally = Tally(contestant.label)
            for query in queries:
                for repeat in range(1, repeats + 1):
                    self._run_counted(experiment, contestant, query, repeat, tally, retry_failed)
            tallies.append(tally)
        return tallies

    def _run_counted(
        self,
        experiment: Experiment,
        contestant: Contestant,
        query: Query,
        repeat: int,
        tally: Tally,
        retry_failed: bool,
    ) -> None:
        state = experiment.state(contestant.label, query.query_id, repeat)
        if state == "failed" and retry_failed:
            experiment.discard(contestant.label, query.query_id, repeat)
            state = "absent"
        if state in ("done", "failed"):
            tally.count(read_run(experiment.run_folder(contestant.label, query.query_id, repeat)), before=True)
            return
        if self.on_run is not None:
            self.on_run(contestant.label, query)
        tally.count(self.run_into(experiment, contestant, query, repeat), before=False)

    def _session(self, contestant: Contestant, query: Query, effects: Journal) -> Session:
        return Session(
            self.world,
            user_id=query.user_id,
            scope_to_user=bool(contestant.system.options.get("scope_to_user")),
            journal=effects,
            trajectory=Trajectory(self.on_step),
            tool_timeout=self.tool_timeout,
            tool_threads=self.tool_threads,
        )

    def _replayed(self, label: str, query: Query, repeat: int) -> Path | None:
        if self.replay is None:
            return None
        return run_folder(self.replay, label, query.query_id, repeat) / "journal.jsonl.gz"

    def _run(
        self,
        contestant: Contestant,
        query: Query,
        repeat: int,
        session: Session,
        models: Models,
        ended: Answer | RunError,
    ) -> Run:
        report = ended.report if isinstance(ended, Answer) else None
        return Run(
            run_id=f"{contestant.label}/{query.query_id}-r{repeat}",
            system=contestant.label,
            query_id=query.query_id,
            user_id=query.user_id,
            repeat=repeat,
            status="done" if report is not None else "failed",
            stop=ended.stop if isinstance(ended, Answer) else "error",
            error=None if isinstance(ended, Answer) else ended,
            report=report,
            report_sha=None if report is None else sha256_of(report),
            citations=() if report is None else tuple(find_citations(report, session.ledger.evidence())),
            steps=session.trajectory.steps(),
            state_diff=session.state_diff(),
            notes=ended.notes if isinstance(ended, Answer) else (),
            failed_branches=ended.failed_branches if isinstance(ended, Answer) else (),
            repairs=ended.repairs if isinstance(ended, Answer) else (),
            struck=ended.struck if isinstance(ended, Answer) else (),
            usage=models.usage,
            tool_schema_hash=tool_schema_hash(),
            prompt_hashes=prompt_hashes(contestant.agent),
            world_fingerprint=self.world.manifest.fingerprint,
        )

    def _telemetry(self, effects: Journal, seconds: float) -> dict[str, Any]:
        """What differs between two runs that are otherwise the same."""
        model = [effect.seconds for effect in effects.effects if effect.kind == "model"]
        return {
            "world": self.world_spec if self.world_spec == "demo" else str(Path(self.world_spec).absolute()),
            "host": socket.gethostname(),
            "ended": datetime.now(UTC).isoformat(timespec="seconds"),
            "wall_seconds": round(seconds, 3),
            "model_seconds": round(sum(model), 3),
            "served_from_journal": effects.served,
        }


def definition(world: World, queries: tuple[Query, ...], contestants: list[Contestant], seed: str) -> Definition:
    """What an experiment with these systems and queries asks."""
    return Definition(
        world_fingerprint=world.manifest.fingerprint,
        now=world.manifest.now,
        queries=tuple(sorted(queries, key=lambda query: query.query_id)),
        systems={contestant.label: contestant.system for contestant in contestants},
        prompt_hashes={contestant.label: prompt_hashes(contestant.agent) for contestant in contestants},
        tool_schema_hash=tool_schema_hash(),
        seed=seed,
        versions={"drretail": __version__},
    )


def recorded_in(folder: Path) -> Recorded:
    """A kept run with its ledger; texts and telemetry stay on disk."""
    return Recorded(read_run(folder), read_evidence(folder), {}, {})


def prompt_hashes(agent: Agent) -> dict[str, str]:
    """The hash of every wording that the agent uses, by prompt."""
    return {prompt.name: prompt.hash for prompt in agent.prompts()}


async def _answered(contestant: Contestant, query: Query, session: Session, models: Models) -> Answer | RunError:
    """The agent's answer, or why there is none: this is the boundary of a run, where every failure ends."""
    task = Task(text=query.text, user_id=query.user_id)
    where = contestant.system.agent
    try:
        return await contestant.agent.answer(task, session, models, contestant.system.limits)
    except ModelError as problem:
        return RunError(kind=problem.kind, where=where, message=problem.message)
    except GraphRecursionError as problem:
        return RunError(kind="agent", where=where, message=f"the graph did not end: {problem}")
    except Exception as problem:  # noqa: BLE001 — an agent's bug fails its own run, not the experiment
        return RunError(kind="agent", where=where, message=f"{type(problem).__name__}: {problem}")
