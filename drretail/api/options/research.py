"""Options of the commands that let agents research: which agents and models, on which shop and web.

Types that only Python callers use are ``object`` at run time, so that help need not import them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from drretail.agents.names import BASELINES, BUILT_IN
from drretail.api.option import MODELS, Option
from drretail.conditions.names import CONDITIONS
from drretail.env.servers.naming import SHIPPED
from drretail.errors import UserError

if TYPE_CHECKING:
    from langchain_core.runnables import Runnable

    from drretail.agents.base import Agent
    from drretail.agents.running.varied import Values
    from drretail.api.observer import Observer as AnyObserver
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
    f"{', '.join(BUILT_IN)}; baselines: {', '.join(BASELINES)}. Also a plugin, module:attribute, "
    "cmd:COMMAND or http://ADDRESS. NAME+ws reads summaries of whole web pages. NEWNAME=AGENT gives it "
    "another name."
)

Agents = AnyAgent | Iterable[AnyAgent] | Mapping[str, AnyAgent]
ModelSpec = str | OpenModel | Mapping[str, str | OpenModel] | Sequence[str]
Texts = str | Sequence[str]
"""Several names; in one text they are separated by commas."""


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
        "A world's folder, servers:NAME (on MongoDB and Elasticsearch), demo or market (made-up shops).",
        short="-w",
        metavar="W",
        type=str,
        is_path=is_world_folder,
    ),
]
Model = Annotated[
    ModelSpec | None,
    Option(
        "The model, or one role's model.",
        metavar="[ROLE=]PROVIDER:MODEL",
        type=list[str],
        default="the rule-based offline:shopper",
        in_file=(list[str], dict),
    ),
]
BaseUrl = Annotated[Texts, Option("The address of a model server.", MODELS, metavar="[PROVIDER=]URL", type=list[str])]
Web = Annotated[
    str | OpenWeb | None,
    Option(
        "What web_search searches: sandbox[:FILE|FOLDER], serper, searxng[:URL], a plugin or module:attribute.",
        metavar="NAME[:ARGUMENT]",
        default="sandbox",
    ),
]
Prompts = Annotated[
    str | Path | None,
    Option(
        "A folder of your own prompts and criteria (`drretail prompts --to` writes all).",
        WHAT,
        metavar="DIR",
        type=Path,
    ),
]
Files = Annotated[
    str | Path | None,
    Option("The users' own files, in DIR/<query id>/ (with `drretail ask`: in DIR).", WHAT, metavar="DIR"),
]
Vary = Annotated[
    Values | None,
    Option(
        f"Conditions (docs/conditions.md): {', '.join(name for name in CONDITIONS if name != 'web')}, limits such as "
        "tool_turns=5, or your own. Each value makes a system.",
        WHAT,
        metavar="NAME=VALUE,…",
        type=list[str],
        in_file=(dict,),
        from_flag=values_of_flags,
    ),
]
ClientVary = Annotated[
    Values | None,
    Option(
        "Conditions: scope=any (any user's data), without=web+catalog+user+calculator, redact=yes (searches lose "
        "personal data).",
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
