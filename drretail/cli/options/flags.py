"""Flags that are alike in every command, alone and in groups (``parameters.py``)."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from drretail.api.option import OUTPUT, Option
from drretail.errors import UserError

if TYPE_CHECKING:
    from drretail.records.run import Limits

World = Annotated[
    str,
    typer.Option("--world", "-w", metavar="W", help="A world's folder, servers:NAME, or 'demo' for the built-in one."),
]
MovedWorld = Annotated[
    str | None, typer.Option("--world", "-w", metavar="W", help="The runs' world, where it has moved.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.", rich_help_panel=OUTPUT)]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.", rich_help_panel=OUTPUT)]
Again = Annotated[bool, typer.Option("--again", help="Replace what an earlier call found, though it was given more.")]
Seed = Annotated[str, typer.Option("--seed", help="The same seed gives the same result.")]
To = Annotated[Path, typer.Option("--to", help="Where the result goes.")]
Experiment = Annotated[Path, typer.Argument(metavar="EXP", help="The experiment's folder.")]
Web = Annotated[
    str | None,
    typer.Option(
        "--web",
        metavar="NAME[:ARGUMENT]",
        help="The web that is searched: sandbox[:FILE|FOLDER], serper, searxng[:URL], a plugin's, or module:attribute.",
        show_default="sandbox",
    ),
]
MaterializeUsers = Annotated[
    bool,
    typer.Option("--materialize-users", help="On servers: write every user's profile out instead of deriving it."),
]
Without = Annotated[
    list[str] | None,
    typer.Option("--without", metavar="FAMILY", help="Take web, catalog, user or calculator away; may be repeated."),
]
Preset = Annotated[
    str | None, typer.Option("--preset", metavar="NAME", help="closed_book, web_only or tools_only: several at once.")
]
Scope = Annotated[
    Literal["own", "any"] | None,
    typer.Option(
        "--scope",
        help="Whose data tools show: the user's own, or any user's as in the paper.",
        show_default="own; any with --preset paper",
    ),
]
Redact = Annotated[bool, typer.Option("--redact", help="Take personal data out of web searches before they leave.")]
Prompts = Annotated[
    Path | None,
    typer.Option("--prompts", metavar="DIR", help="Prompts that stand in for the agents' own; see drretail prompts."),
]
Model = Annotated[
    list[str] | None,
    typer.Option("--model", metavar="[ROLE=]PROVIDER:MODEL", help="Which model plays; offline without one."),
]
Judge = Annotated[
    list[str] | None,
    typer.Option("--judge", metavar="PROVIDER:MODEL", help="Who judges; may be given again; offline without one."),
]
ModelProfile = Annotated[
    str | None,
    typer.Option(
        "--model-profile", metavar="NAME", help="Models and judges under one name: default, cheap, paper-like."
    ),
]
BaseUrl = Annotated[
    list[str] | None,
    typer.Option("--base-url", metavar="[PROVIDER=]URL", help="Where a compatible server answers; may be given again."),
]
Estimate = Annotated[bool, typer.Option("--estimate", help="Say what it would take, and send nothing.")]


@dataclass(frozen=True, slots=True)
class Output:
    """How results and progress are told."""

    as_json: Annotated[bool, Option("One JSON document on stdout instead of text.", OUTPUT, flag="--json")] = False
    quiet: Annotated[bool, Option("No progress on stderr.", OUTPUT, short="-q")] = False


@dataclass(frozen=True, slots=True)
class Progress:
    """Whether progress is told; for commands without --json."""

    quiet: Annotated[bool, Option("No progress on stderr.", OUTPUT, short="-q")] = False


@dataclass(frozen=True, slots=True)
class Details:
    """How much is printed."""

    details: Annotated[bool, Option("All tables, those of what runs did included.", OUTPUT)] = False


@dataclass(frozen=True, slots=True)
class Planned:
    """Whether anything is sent."""

    estimate: Annotated[bool, Option("Say what it would take, and send nothing.")] = False


@dataclass(frozen=True, slots=True)
class Models:
    """Which models answer, and where."""

    model: Model = None
    model_profile: ModelProfile = None
    base_url: BaseUrl = None


@dataclass(frozen=True, slots=True)
class Judges:
    """Which models judge, and where."""

    judge: Judge = None
    model_profile: ModelProfile = None
    base_url: BaseUrl = None


@dataclass(frozen=True, slots=True)
class Calls:
    """How a model that writes queries is called."""

    model_profile: ModelProfile = None
    base_url: BaseUrl = None
    parallel: Annotated[int, typer.Option("--parallel", min=1, help="Calls of the model at the same time.")] = 4
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask the model anew for queries that failed.")
    ] = False


@dataclass(frozen=True, slots=True)
class Options:
    """What a system does without, what it keeps to itself, and what it is told instead of the package's prompts."""

    without: Without = None
    scope: Scope = None
    redact: Redact = False
    prompts: Prompts = None

    def of_system(self, preset: str | None, sources: "Sources") -> dict[str, Any]:
        """What of a system's options is not the default. Raises UnknownName for a wrong name, UserError for sources
        that there are not."""
        from drretail.agents.running.system import system_options

        return system_options(
            self.without or (), preset, redact=self.redact, retriever=sources.retriever, files=sources.files
        )


@dataclass(frozen=True, slots=True)
class Sources:
    """What is read beside the shop, and how pages are found."""

    retriever: Annotated[
        str,
        typer.Option(
            "--retriever", metavar="bm25|dense:PROVIDER:MODEL", help="What ranks the fixed pages of a sandbox."
        ),
    ] = "bm25"
    files: Annotated[
        Path | None,
        typer.Option("--files", metavar="DIR", help="The user's own files: DIR/<query id>/; for one question, DIR."),
    ] = None
    size: Annotated[
        str | None,
        typer.Option(
            "--size", metavar="A,B", help="Of --web sandbox:FOLDER, each a system of its own.", show_default="smallest"
        ),
    ] = None
    compose: Annotated[
        str | None,
        typer.Option(
            "--compose",
            metavar="A,B",
            help="Of its pages all, no_distractor, supportive_only, no_supportive.",
            show_default="all",
        ),
    ] = None

    def parts(self) -> dict[str, list[str]]:
        """The sizes and the compositions of a sandbox that systems are made for. Raises UserError for a blank one."""
        return {"sizes": _named("--size", self.size), "composes": _named("--compose", self.compose)}


def _named(flag: str, given: str | None) -> list[str]:
    names = [] if given is None else [it.strip() for it in given.split(",")]
    if not all(names):
        raise UserError(f"{flag} {given!r} names nothing somewhere: put one name between commas.")
    return names


@dataclass(frozen=True, slots=True)
class RunLimits:
    """Where one run ends at the latest."""

    tool_turns: Annotated[int, typer.Option("--tool-turns", min=1, help="Model turns with tool calls, at most.")] = 10
    supervisor_turns: Annotated[int, typer.Option("--supervisor-turns", min=1, help="Of a supervisor, at most.")] = 6
    researchers: Annotated[int, typer.Option("--researchers", min=1, help="Launched in one turn, at most.")] = 5
    rag_turns: Annotated[
        int, typer.Option("--rag-turns", min=1, help="Of a retrieval agent with searches, at most.")
    ] = 4
    repairs: Annotated[int, typer.Option("--repairs", min=0, help="Of a draft that is verified, at most.")] = 2
    tokens: Annotated[int | None, typer.Option("--tokens", min=1, help="Tokens of one run, at most.")] = None
    dollars: Annotated[float | None, typer.Option("--dollars", min=0.0001, help="Dollars of one run, at most.")] = None
    seconds: Annotated[int, typer.Option("--seconds", min=1, help="Of a run by a command or address, at most.")] = 600

    def limits(self) -> "Limits":
        """The same as a record."""
        from dataclasses import asdict

        from drretail.records.run import Limits

        return Limits(**asdict(self))


@dataclass(frozen=True, slots=True)
class RunsCap:
    """What all runs of an experiment may take."""

    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, help="Tokens of all the experiment's runs, at most.")
    ] = None
    max_dollars: Annotated[
        float | None, typer.Option("--max-dollars", min=0.0001, help="Dollars of all the experiment's runs, at most.")
    ] = None


@dataclass(frozen=True, slots=True)
class JudgingCap:
    """What all judging of an experiment may take."""

    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, help="Tokens of all judging in the experiment, at most.")
    ] = None
    max_dollars: Annotated[
        float | None, typer.Option("--max-dollars", min=0.0001, help="Dollars of all judging in it, at most.")
    ] = None

    @property
    def is_given(self) -> bool:
        """True with a cap in tokens or in dollars."""
        return self.max_tokens is not None or self.max_dollars is not None
