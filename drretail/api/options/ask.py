"""What ``ask`` is given."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated

from drretail.api.option import Option
from drretail.api.options import research, shared
from drretail.api.options.research import AGENT_HELP, WHAT


@dataclass(frozen=True, slots=True)
class AskOptions:
    """One question, who asks it, and which system answers."""

    question: Annotated[str, Option("What the shopper wants to know.", argument=True, metavar="QUESTION")]
    world: research.World = "demo"
    agent: Annotated[research.AnyAgent, Option(f"Who answers: {AGENT_HELP}", metavar="NAME", type=str)] = "react"
    model: research.Model = None
    _: KW_ONLY
    user: Annotated[str | None, Option("The shopper who asks.", metavar="ID")] = None
    to: Annotated[str | Path | None, Option("Keep the run in this experiment folder.", metavar="EXP", type=Path)] = None
    web: research.Web = None
    preset: Annotated[
        str | None, Option("closed_book, web_only or tools_only: several families at once.", WHAT, metavar="NAME")
    ] = None
    without: research.Without = ()
    prompts: research.Prompts = None
    model_profile: shared.ModelProfile = None
    base_url: research.BaseUrl = ()
    scope: research.Scope = None
    redact: research.Redact = False
    retriever: research.Retriever = "bm25"
    files: research.Files = None
    size: research.Size = ()
    compose: research.Compose = ()
    limits: research.Limits = None
    observer: research.Observer = None
