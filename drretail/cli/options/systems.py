"""What ``ask``, ``run`` and ``demo`` share: systems from flags, and a runner that tells its steps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from drretail.errors import UnknownName, UserError

if TYPE_CHECKING:
    from pathlib import Path

    from drretail.agents.running.runner import Runner
    from drretail.agents.running.system import SystemUnderTest
    from drretail.api.models import Opener
    from drretail.env.web.base import Web
    from drretail.env.world import World
    from drretail.progress import Progress
    from drretail.records.query import Query
    from drretail.records.run import Scope, Step

OFFLINE_NOTE = "No --model given: offline:shopper answers. It follows rules and is no language model."


def suts(
    names: list[str],
    specs: list[str],
    world: "World",
    opener: "Opener",
    profile: str | None = None,
    prompts: "Path | None" = None,
    **given: Any,
) -> "list[SystemUnderTest]":
    """The systems that the flags --agent, --model, --model-profile and --prompts name; ``NAME+ws`` reads whole pages.

    That offline:shopper answers is said on stderr where any of the agents asks a model.
    """
    from drretail.agents.prompt_files import NO_OVERRIDES, read_overrides
    from drretail.agents.registry import named_agents
    from drretail.agents.running.system import suts as systems_of
    from drretail.api.models import models_by_role
    from drretail.viewer.output import say

    agents = named_agents(names)
    roles = [role for agent in agents.values() for role in agent.roles]
    told = (lambda: say(OFFLINE_NOTE)) if roles else None
    overrides = NO_OVERRIDES if prompts is None else read_overrides(prompts, agents.values())
    models = models_by_role(specs, profile, opener, roles=roles, told_offline=told)
    return systems_of(agents, models, world, overrides, **given)


def caution(world: "World", without: "Sequence[str]") -> None:
    """Says on stderr what should be known of the world's web before agents use it."""
    from drretail.env.web.sandbox import cautions
    from drretail.viewer.output import say

    if "web" not in without:
        for sentence in cautions(world.web, world.manifest):
            say(sentence)


def exit_code(failed: int) -> None:
    """Ends with 3 when runs failed."""
    if failed:
        raise typer.Exit(3)


def narrated(runner: "Runner", *, quiet: bool, progress: "Progress | None" = None) -> "Runner":
    """The same runner, which now tells each step on stderr as it ends."""
    from drretail.cli.narration import told
    from drretail.progress import choose_progress

    shown = progress or choose_progress("none" if quiet else None)

    def on_step(step: "Step", text: str) -> None:
        line = told(step, text)
        if line is not None:
            shown.note(line)

    runner.on_step = on_step
    return runner


PAPER = "paper"
PAPER_PROFILE = "paper-like"
DEFAULT_AGENTS = ("react",)


@dataclass(frozen=True, slots=True)
class Plan:
    """Who answers which questions, by which profile of models; ``ablation`` is a preset that takes tools away."""

    queries: "Sequence[Query]"
    agents: list[str]
    profile: str | None
    ablation: str | None
    scope: "Scope" = "own"
    """Whose data tools show where --scope does not say it."""


def asked_by(queries: "Path | None", agents: list[str] | None, profile: str | None, preset: str | None) -> Plan:
    """What the flags --queries, --agent, --model-profile and --preset ask for together.

    ``paper`` stands for the paper's six systems (section 5) on the fifty shipped queries with the models of the profile
    ``paper-like``, and its tools, which show any user's data; a flag that is given goes before it. Raises UserError
    without queries, and for other agents beside the preset.
    """
    from drretail.agents.running.system import PRESETS
    from drretail.viewer.paper.published import SYSTEMS

    if preset is not None and preset not in (*PRESETS, PAPER):
        raise UnknownName("preset", preset, (*PRESETS, PAPER))
    if preset != PAPER:
        return Plan(_read(queries), agents or list(DEFAULT_AGENTS), profile, preset)
    if agents:
        raise UserError("--preset paper runs the paper's six systems: leave --agent out, or the preset.")
    return Plan(_shipped() if queries is None else _read(queries), list(SYSTEMS), profile or PAPER_PROFILE, None, "any")


def brought_queries(web: "Web") -> "Path | None":
    """The queries that a sandbox was made for, where the web is one with a web for each; says that they are asked."""
    from drretail.env.web.sealed import QUERIES_FILE, SealedWeb
    from drretail.viewer.output import say

    if not isinstance(web, SealedWeb):
        return None
    path = web.folder / QUERIES_FILE
    say(f"No --queries given: those of {path} are asked.")
    return path


def _read(queries: "Path | None") -> "Sequence[Query]":
    from drretail.querygen.reading import read_queries

    if queries is None:
        raise UserError(
            "There is nothing to answer: name questions with --queries FILE (drretail queries shipped --to FILE writes "
            "the fifty that come with drretail)."
        )
    return read_queries(queries)


def _shipped() -> "Sequence[Query]":
    from drretail.querygen.shipped import shipped_queries

    return shipped_queries()
