"""What ``ask``, ``run`` and ``demo`` share: contestants, models and users from flags."""

import os
from typing import TYPE_CHECKING, Any

import typer

from drretail.cli.output import say
from drretail.errors import UserError
from drretail.records.run import ROLES, Step

if TYPE_CHECKING:
    from drretail.agents.runner import Contestant, Runner
    from drretail.env.world import World
    from drretail.llm.registry import Model
    from drretail.settings import Settings

OFFLINE_NOTE = "No --model given: offline:shopper answers. It follows rules and is no language model."


def contestants(
    names: list[str], specs: list[str], world: "World", settings: "Settings", **given: Any
) -> "list[Contestant]":
    """The systems that the flags --agent and --model name; ``NAME+ws`` reads whole pages."""
    from drretail.agents.contestant import Contestant
    from drretail.agents.registry import load_agent, split_web_mode

    models = models_by_role(specs or ([settings.model] if settings.model else []), settings)
    asked = [split_web_mode(name) for name in names]
    if "web" in given.get("options", {}).get("without", ()) and any(mode == "ws" for _, mode in asked):
        raise UserError("An agent without the web has no pages to read: leave +ws or --without web out.")
    return [Contestant.of(name, load_agent(name), models, world, web_mode=mode, **given) for name, mode in asked]


def models_by_role(specs: list[str], settings: "Settings") -> "dict[str, Model]":
    """``[ROLE=]PROVIDER:MODEL`` flags as models by role; the one without a role stands under ""."""
    from drretail.llm.registry import open_model
    from drretail.settings import OFFLINE_MODEL

    if not specs:
        say(OFFLINE_NOTE)
        specs = [OFFLINE_MODEL]
    chosen: dict[str, str] = {}
    for flag in specs:
        role, equals, spec = flag.partition("=")
        if not equals:
            role, spec = "", flag
        elif role not in ROLES:
            raise UserError(f"--model {flag}: there is no role {role!r}; the roles are {', '.join(ROLES)}.")
        if role in chosen:
            raise UserError(f"--model is given twice for {role or 'all roles'}: name each role once.")
        chosen[role] = spec
    opened = {
        spec: open_model(
            spec,
            base_url=settings.base_url,
            timeout=settings.model_timeout,
            max_retries=settings.model_retries,
            max_tokens=settings.max_tokens,
            environ=os.environ,
        )
        for spec in dict.fromkeys(chosen.values())
    }
    return {role: opened[spec] for role, spec in chosen.items()}


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
    from drretail.agents.runner import Runner

    return Runner(
        world,
        spec,
        tool_timeout=settings.tool_timeout,
        tool_threads=settings.tool_threads,
        model_calls=settings.model_calls,
    )
