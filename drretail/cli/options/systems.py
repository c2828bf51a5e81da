"""What ``ask``, ``run`` and ``demo`` share: systems, models and users from flags."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from drretail.errors import UnknownName, UserError
from drretail.records.run import ROLES, Step
from drretail.viewer.output import say
from drretail.viewer.paper.published import SYSTEMS

if TYPE_CHECKING:
    from drretail.agents.running.runner import Runner, SystemUnderTest
    from drretail.cli.options.models import Opener
    from drretail.env.world import World
    from drretail.llm.registry import Model
    from drretail.settings import Settings
if TYPE_CHECKING:
    from pathlib import Path

    from drretail.records.query import Query


OFFLINE_NOTE = "No --model given: offline:shopper answers. It follows rules and is no language model."


def suts(
    names: list[str], specs: list[str], world: "World", opener: "Opener", profile: str | None = None, **given: Any
) -> "list[SystemUnderTest]":
    """The systems that the flags --agent, --model and --model-profile name; ``NAME+ws`` reads whole pages.

    Raises UserError when a limit in dollars is given and a model has no known price.
    """
    from drretail.agents.registry import load_agent, split_web_mode
    from drretail.agents.running.system import SystemUnderTest

    asked = [split_web_mode(name) for name in names]
    agents = {name: load_agent(name) for name, _ in asked}
    roles = [role for agent in agents.values() for role in agent.roles]
    models = models_by_role(specs, profile, opener, are_asked=bool(roles), roles=roles)
    if "web" in given.get("options", {}).get("without", ()) and any(mode == "ws" for _, mode in asked):
        raise UserError("An agent without the web has no pages to read: leave +ws or --without web out.")
    players = [SystemUnderTest.of(name, agents[name], models, world, web_mode=mode, **given) for name, mode in asked]
    if any(player.system.limits.dollars is not None for player in players):
        check_priced(model for player in players for model in player.models.values())
    return players


def models_by_role(
    specs: list[str],
    profile: str | None,
    opener: "Opener",
    *,
    are_asked: bool = True,
    roles: Iterable[str] = (),
) -> "dict[str, Model]":
    """Models of flags, profile and settings by role; the one for all other roles stands under "".

    That the offline one answers is said only where any ``are_asked``: floors and the oracle ask none. ``roles`` are
    those that may be named besides the built-in agents'.
    """
    from drretail.cli.options.models import choices_by_role, profile_of
    from drretail.settings import OFFLINE_MODEL

    settings = opener.settings
    if not specs and profile is None and settings.model is not None:
        specs = [settings.model]
    chosen = choices_by_role(specs, profile_of(profile, settings), dict.fromkeys((*ROLES, *roles)))
    if not chosen:
        if are_asked:
            say(OFFLINE_NOTE)
        chosen = choices_by_role([OFFLINE_MODEL], None)
    return dict(zip(chosen, opener.open_all(chosen.values()), strict=True))


def check_priced(models: "Iterable[Model]") -> None:
    """Raises UserError when dollars are to be limited and the price of a model is unknown."""
    from drretail.llm.prices import unpriced

    unknown = [model.spec for model in models if model.price is None]
    if unknown:
        raise UserError(f"Dollars cannot be limited. {unpriced(unknown)}")


def check_user(world: "World", user_id: str | None) -> None:
    """Raises UserError when the world holds no such user."""
    from drretail.errors import NotFound

    if user_id is None:
        return
    try:
        world.store.user(user_id)
    except NotFound:
        some = [row.user_id for row in world.store.sample_users("0", 3)]
        hint = f"Some who are: {', '.join(some)}." if some else "This shop has no users: ask without --user."
        raise UserError(f"The shop has no user {user_id!r}. {hint}") from None


def exit_code(failed: int) -> None:
    """Ends with 3 when runs failed."""
    if failed:
        raise typer.Exit(3)


def narrated_runner(world: "World", spec: str, settings: "Settings", *, quiet: bool) -> "Runner":
    """A runner that tells each step on stderr as it ends."""
    from drretail.cli.narration import told
    from drretail.progress import choose_progress

    progress = choose_progress("none" if quiet else None)
    runner = silent_runner(world, spec, settings)

    def on_step(step: Step, text: str) -> None:
        line = told(step, text)
        if line is not None:
            progress.note(line)

    runner.on_step = on_step
    return runner


def silent_runner(world: "World", spec: str, settings: "Settings") -> "Runner":
    """A runner that tells nothing of its steps."""
    from drretail.agents.running.runner import Runner

    return Runner(
        world,
        spec,
        tool_timeout=settings.tool_timeout,
        tool_threads=settings.tool_threads,
        model_calls=settings.model_calls,
    )


PRESETS = {
    "closed_book": ("calculator", "catalog", "user", "web"),
    "web_only": ("calculator", "catalog", "user"),
    "tools_only": ("web",),
}
"""By name, the families of tools that are left out."""


def system_options(
    without: list[str] | None, preset: str | None, *, scope_to_user: bool, redact: bool = False
) -> dict[str, Any]:
    """What of a system's options is not the default, from the flags. Raises UnknownName for a wrong name."""
    from drretail.tools.registry import FAMILIES

    if preset is not None and preset not in PRESETS:
        raise UnknownName("preset", preset, PRESETS)
    families = {*(without or ()), *(PRESETS[preset] if preset is not None else ())}
    for family in sorted(families):
        if family not in FAMILIES:
            raise UnknownName("family of tools", family, FAMILIES)
    options: dict[str, Any] = {"without": sorted(families)} if families else {}
    flags = {"scope_to_user": scope_to_user, "redact": redact}
    return options | {name: True for name, is_on in flags.items() if is_on}


PAPER = "paper"
PAPER_PROFILE = "paper-like"
DEFAULT_AGENTS = ("react",)


@dataclass(frozen=True, slots=True)
class Asked:
    """Who answers which questions, by which profile of models; ``ablation`` is a preset that takes tools away."""

    queries: "Sequence[Query]"
    agents: list[str]
    profile: str | None
    ablation: str | None


def asked_by(queries: "Path | None", agents: list[str] | None, profile: str | None, preset: str | None) -> Asked:
    """What the flags --queries, --agent, --model-profile and --preset ask for together.

    ``paper`` stands for the paper's six systems (section 5) on the fifty shipped queries with the models of the profile
    ``paper-like``; a flag that is given goes before it. Raises UserError without queries, and for other agents beside
    the preset.
    """
    if preset is not None and preset not in (*PRESETS, PAPER):
        raise UnknownName("preset", preset, (*PRESETS, PAPER))
    if preset != PAPER:
        return Asked(_read(queries), agents or list(DEFAULT_AGENTS), profile, preset)
    if agents:
        raise UserError("--preset paper runs the paper's six systems: leave --agent out, or the preset.")
    return Asked(_shipped() if queries is None else _read(queries), list(SYSTEMS), profile or PAPER_PROFILE, None)


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
