"""Options of the commands that let agents research: which agents and models, on which shop and web.

Types that only Python callers use are ``object`` at run time, so that help need not import them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from drretail.agents.names import BUILT_IN
from drretail.api.option import MODELS, Option
from drretail.api.options import shared
from drretail.conditions.names import CONDITIONS
from drretail.env.naming import SHIPPED
from drretail.errors import UserError

if TYPE_CHECKING:
    from langchain_core.runnables import Runnable

    from drretail.agents.base import Agent
    from drretail.agents.running.system import Values
    from drretail.api.options.observer import Observer as AnyObserver
    from drretail.env.web.base import Web as OpenWeb
    from drretail.env.world import World as OpenWorld
    from drretail.llm.registry import Model as OpenModel
    from drretail.records.run import Limits as RunLimits

    AnyAgent = str | Agent | Callable[..., Any] | Runnable[Any, Any]
else:
    AnyAgent = AnyObserver = OpenWeb = OpenWorld = OpenModel = RunLimits = Values = object

WHAT = "What to run"
LIMIT_NAMES = (
    "tool_turns", "supervisor_turns", "researchers", "rag_turns", "repairs", "tokens", "dollars", "seconds",
)  # fmt: skip
"""The fields of ``records.run.Limits``, named here so that help need not load it; a test compares them."""
AGENT_HELP = (
    f"{', '.join(BUILT_IN)} (NAME+ws also reads whole pages), a baseline, plugin, module:attribute, cmd:COMMAND or "
    "http://ADDRESS (docs/agents.md)."
)

Agents = AnyAgent | Iterable[AnyAgent] | Mapping[str, AnyAgent]
ModelSpec = str | OpenModel | Mapping[str, str | OpenModel] | Sequence[str]


def is_world_folder(spec: str) -> bool:
    """False for a built-in world and for one on servers."""
    return spec not in SHIPPED and not spec.startswith("servers:")


def values_of_flags(texts: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The values of ``NAME=VALUE,…`` flags by name. Raises UserError for a text of another form."""
    values: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, equals, written = text.partition("=")
        if not (name.strip() and equals and written.strip()):
            raise UserError(f"--vary {text}: write NAME=VALUE,…, such as --vary information=tools,task.")
        values[name.strip()] = (*values.get(name.strip(), ()), *written.split(","))
    return values


World = Annotated[
    str | Path | OpenWorld,
    Option(
        "A world's folder, servers:NAME, demo or market (made-up shops).",
        short="-w",
        metavar="W",
        type=str,
        is_path=is_world_folder,
    ),
]
Model = Annotated[
    ModelSpec | None,
    Option(
        "PROVIDER:MODEL, for all roles or one.",
        metavar="[ROLE=]MODEL",
        type=list[str],
        default="offline:shopper, by rules",
        in_file=(list[str], dict),
    ),
]
BaseUrl = Annotated[
    shared.Texts, Option("A model server, or a provider's.", MODELS, metavar="[NAME=]URL", type=list[str])
]
Web = Annotated[
    str | OpenWeb | None,
    Option(
        "What is searched: sandbox[:FILE|FOLDER], serper, searxng[:URL] (docs/tools.md).",
        metavar="NAME[:ARG]",
        default="sandbox",
    ),
]
Network = Annotated[
    Literal["sealed", "proxy", "settings"] | None,
    Option(
        "How cmd:COMMAND reaches the shop and its model (docs/agents.md).",
        WHAT,
        default="sealed where this machine can, else proxy",
    ),
]
PassEnv = Annotated[
    shared.Texts,
    Option("Variables with keys that cmd:COMMAND inherits.", WHAT, metavar="NAME", type=list[str]),
]
Prompts = Annotated[
    str | Path | None, Option("Your own prompts (`drretail prompts --to DIR`).", WHAT, metavar="DIR", type=Path)
]
Files = Annotated[str | Path | None, Option("The users' own files: DIR/QUERY/…, for `ask` DIR/…", WHAT, metavar="DIR")]
Vary = Annotated[
    Values | None,
    Option(
        f"Makes a system for each value: {', '.join(name for name in CONDITIONS if name != 'web')}, a limit "
        "such as tool_turns=5, or your own (docs/experiments.md).",
        metavar="NAME=VALUE,…",
        type=list[str],
        in_file=(dict,),
        from_flag=values_of_flags,
    ),
]
ClientVary = Annotated[
    Values | None,
    Option(
        "Conditions: scope=any (any user's data), without=web+catalog+user+calculator.",
        metavar="NAME=VALUE",
        type=list[str],
        from_flag=values_of_flags,
    ),
]
Limits = Annotated[
    RunLimits | Mapping[str, float] | None,
    Option(
        f"Limits of each run: {', '.join(LIMIT_NAMES)}. On the command line they are conditions of --vary.",
        flag="",
        in_file=(dict,),
    ),
]
Observer = Annotated[AnyObserver | None, Option("Sees what the call does while it works.", flag="", in_file=None)]
