"""Systems, the steps they take, and the runs they leave."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args
from unicodedata import normalize

from pydantic import Field

from drretail.errors import ModelErrorKind
from drretail.records.base import Document, ModelKind, Record, sha256_of
from drretail.records.evidence import Citation, CitationCounts, Finding
from drretail.records.reading import Outcome, Pick
from drretail.records.wish import Wish

Role = str
"""What a model is for in an agent. Each agent names its own roles."""
ROLES: tuple[Role, ...] = ("supervisor", "researcher", "retriever", "reader", "summariser", "synthesis", "report")
"""The roles of the built-in agents."""
Stop = Literal["finished", "turn_limit", "token_budget", "dollar_budget", "context_limit", "no_research", "error"]
"""Why a run ended; one that ended with ``no_research`` or ``error`` has failed."""
WebMode = Literal["snippets", "ws", "chunks"]
Scope = Literal["own", "any"]
"""Whose data tools show: only the run's own user's, or any user's, as in the paper."""
SearchMix = Literal["turns", "web", "shop"]
"""What a search gives an agent from outside: pages and products in turns, or one of the two alone."""
OPEN_PAGE = "open_page"
"""The tool by whose name a page stands among the steps that an agent from outside opened."""
SEALED, NETWORK, MIX = "sealed", "network", "mix"
"""The network of commands by default, and the names of the options that say how they reach theirs, and what searches
mix for agents from outside."""
CLIENT = "client"
"""The role of an agent from outside, whose calls come through the doors of its run."""
LONGEST_LABEL = 80
SANDBOX = "sandbox"
"""The web provider that labels do not mention."""
TURN_FLOORS = ("null_first", "null_last")
"""Floors of conversations alone: one repeats its first cart, the other obeys the last turn alone."""
NULL_AGENTS = ("null_empty", "null_search", *TURN_FLOORS)
"""Agents that research nothing. Their scores show what a score is worth."""
ORACLE_AGENT = "oracle"
"""The agent that solves a query's constraints over the whole catalog."""
BASELINES = (*NULL_AGENTS, ORACLE_AGENT)
MCP_AGENT = "mcp"
"""The agent of systems that are clients from outside, of which only the calls and reports are known."""
INSPECT_AGENT = "inspect"
"""The agent of systems that are solvers of inspect_ai, with the model that inspect calls."""
GYM_AGENT = "gym"
"""The agent of systems whose policy acts in a ``ShopEnv`` and is not one of ours."""
CLIENT_AGENTS = (MCP_AGENT, INSPECT_AGENT, GYM_AGENT)
"""The agents that ask their own models: a run has their tokens at most, and no journal."""
LOOKED_UP = "looked_up"
"""Option of an imported system: the fingerprint of the shop whose records its claims are judged against."""
IMPORTED_AGENT = "imported"
"""The agent of systems whose reports came as files: only what they wrote is known."""
Information = Literal["task", "context", "persona", "tools"]
"""What a system knows of the shopper: only the question, notes, a persona, or what its tools show."""
INFORMATION: tuple[Information, ...] = get_args(Information)
"""Ordered by how much is known, the least first."""
INFORMED = "information"
"""The option of a System without tools for the user's data; it says what the system is told instead."""
FILES = "files"
"""The option of a System that reads users' own files: the files' hash."""
SIZE, COMPOSE = "size", "compose"
"""Options of a System whose web is a sandbox for each query: its size, and which pages are served if not all."""


COMMAND = "cmd:"
OUTSIDE = (COMMAND, "http://", "https://")
"""How an agent's place begins if it runs outside of this process."""


class Limits(Record):
    """The latest point at which a run ends. The defaults are those of open_deep_research."""

    supervisor_turns: int = Field(default=6, ge=1)
    """Turns in which a supervisor may send researchers out."""
    researchers: int = Field(default=5, ge=1)
    """Researchers that it may send out in one turn."""
    tool_turns: int = Field(default=10, ge=1)
    """Model turns with tool calls that one researcher, or a single agent, may take."""
    rag_turns: int = Field(default=4, ge=1)
    """Model turns with searches that a retrieval sub-agent may take."""
    tokens: int | None = Field(default=None, ge=1)
    """Input and output tokens of a run together; enough is kept back for writing the report."""
    dollars: float | None = Field(default=None, gt=0)
    """What a run may cost; enough is kept back for writing the report."""
    repairs: int = Field(default=2, ge=0)
    """How often a draft with findings is sent back, in agents that verify it."""
    seconds: int | None = Field(default=None, ge=1)
    """How long a run may take; None = ``own_seconds`` for agents of the user's own, and any time for the built-in ones,
    which end by their turns.
    """

    @property
    def own_seconds(self) -> int:
        """How long a run of an agent of the user's own may take."""
        return self.seconds or 600


class RoleModel(Record):
    """The model behind a role: "provider:model" and whether it is a language model at all."""

    spec: str
    kind: ModelKind
    params: dict[str, Any] | None = None
    """How it was called, if not by default; ``own_server`` if it answered at an address of the user's own."""


class PromptSet(Record):
    """The prompts of a system that replace the package's own."""

    name: str
    """Name of the folder that they came from."""
    hashes: dict[str, str]
    """Hash of each file's content, by its name, such as react.md."""


class OwnCondition(Record):
    """A condition of the user's own. An experiment names it, and whoever opens the experiment need not load it."""

    place: str
    """Its ``module:attribute``."""
    default: str


class System(Record):
    """All that defines what produced a run; two systems with one label are an error."""

    agent: str
    self_checked: bool = False
    """True if the agent removes from its own reports what the checks find."""
    web_mode: WebMode = "snippets"
    web_provider: str = SANDBOX
    web_corpus: str | None = None
    """sha256 of the sandbox corpus."""
    models: dict[str, RoleModel]
    """By role."""
    limits: Limits = Limits()
    options: dict[str, Any] = Field(default_factory=dict[str, Any])
    """Options that differ from the default: without, information …"""
    conditions: dict[str, OwnCondition] = Field(
        default_factory=dict[str, OwnCondition], exclude_if=lambda conditions: not conditions
    )
    """By name, those options that are conditions of the user's own."""
    scope: Scope | None = None
    """None for floors and the oracle, which ask for nobody's data."""
    prompts: PromptSet | None = None
    """The prompts that replace the package's; None if all are the package's own."""
    place: str | None = None
    """The command or the address of an agent that is one; ``module:attribute`` of an agent that was given by it."""

    @property
    def name(self) -> str:
        """The agent, as a command names it: with ``+ws`` if it reads whole pages."""
        return f"{self.agent}+ws" if self.web_mode == "ws" else self.agent

    @property
    def models_in_label(self) -> str:
        """The part of the label that names its models, such as "@openai-gpt-5"; empty without models."""
        specs = dict.fromkeys(model.spec for model in self.models.values())
        return f"@{'+'.join(slug(spec) for spec in specs)}" if specs else ""

    @property
    def is_command_or_address(self) -> bool:
        """True if the agent runs outside of this process."""
        return self.place is not None and self.place.startswith(OUTSIDE)

    @property
    def is_sealed(self) -> bool:
        """True if it is a command whose only network is the doors of its run."""
        return self.place is not None and self.place.startswith(COMMAND) and NETWORK not in self.options

    @property
    def web_is_live(self) -> bool:
        """True if pages come from the open web and not from a fixed corpus."""
        return self.web_corpus is None and self.web_provider != SANDBOX

    @property
    def is_imported(self) -> bool:
        """True if only its reports are known, and not how they were made."""
        return self.agent == IMPORTED_AGENT

    @property
    def is_of_shop(self) -> bool:
        """True if the records of the shop's products that its reports name were looked up for judging."""
        return self.is_imported and LOOKED_UP in self.options

    @property
    def sees(self) -> Scope:
        """Whose data its tools show; any user's if it doesn't say."""
        return self.scope or "any"

    @property
    def information(self) -> Information:
        """What it knows about the shopper."""
        return self.options.get(INFORMED, "tools")

    def label(self) -> str:
        """``<agent>[+ws]@<model-slug>``, then ``-<option>`` for everything that is not the default: parameters, web,
        options, limits, prompts.

        An option that names several things contains them all. A label that would be too long ends in a hash.
        """
        web = "+ws" if self.web_mode == "ws" else ""
        written = self.options | ({"scope": self.scope} if self.scope == "any" else {})
        options = ""
        for name, value in sorted(written.items()):
            # ``without-user-web`` or ``information-task``
            values = [value] if isinstance(value, str) else value if isinstance(value, list | tuple) else []
            options += "".join(f"-{slug(str(part))}" for part in (name, *values)) if value else ""
        limits = "".join(f"-{name}{value}" for name, value in self.limits if value != Limits.model_fields[name].default)
        # Every value once, whichever roles it is for: ``-seed7-temperature0.7``.
        parameters = {
            f"-{name}{slug(str(value))}"
            for model in self.models.values()
            for name, value in (model.params or {}).items()
            if name != "own_server"
        }
        provider = "" if self.web_provider == SANDBOX else f"-{slug(self.web_provider)}"
        settings = f"{''.join(sorted(parameters))}{provider}"
        prompts = "" if self.prompts is None else f"-prompts-{slug(self.prompts.name)}"
        return shortened(f"{slug(self.agent)}{web}{self.models_in_label}{settings}{options}{limits}{prompts}")


REPORTED = "agent"
"""The role of the tokens that an agent reports, which it used without asking models by drretail."""


NANO = 1_000_000_000


class Usage(Record):
    """Tokens as the provider counts them, of all calls of one role, and what they cost."""

    calls: int = 0
    input_uncached: int = 0
    cache_read: int = 0
    cache_creation: int = 0
    output: int = 0
    estimated: int = Field(default=0, exclude_if=lambda count: count == 0)
    """Answers for which the provider counted no, or impossible, tokens: these are estimated from the text."""
    nanodollars: int = Field(default=0, exclude_if=lambda count: count == 0)
    """Billionths of a dollar: whole numbers, so that their sum is the same in any order."""
    unpriced: int = Field(default=0, exclude_if=lambda count: count == 0)
    """Calls whose price is unknown."""
    served: dict[str, int] = Field(default_factory=dict[str, int], exclude_if=lambda calls: not calls)
    """Calls by the model that answered, as its provider names it; without those of which it names none."""

    def __add__(self, other: "Usage") -> "Usage":
        names = type(self).model_fields.keys() - {"served"}
        served = dict(Counter(self.served) + Counter(other.served))
        return Usage(**{name: getattr(self, name) + getattr(other, name) for name in names}, served=served)

    @property
    def input(self) -> int:
        """All input tokens, those of the cache too."""
        return self.input_uncached + self.cache_read + self.cache_creation

    @property
    def total(self) -> int:
        """All input and output tokens."""
        return self.input + self.output

    @property
    def dollars(self) -> float | None:
        """What the calls cost; None if the price of one is unknown."""
        return None if self.unpriced else self.nanodollars / NANO


Setback = Literal["lost", "repairs", "second_attempts", "announcements", "struck_ids"]
PROVIDER_FAULTS: tuple[ModelErrorKind, ...] = ("model", "timeout", "tool")
"""The kinds of errors for which the provider, the world's servers or the web, and not the system, are responsible."""
LOST_WITH = {"researcher": "researcher", "synthesis": "researcher", "summariser": "page summary"}
"""By role, what a run does without if its model gives no answer; for other roles that is the answer."""


class Setbacks(Record):
    """Counts of what went wrong in a run. Where a part of the run is named, counts are by part."""

    lost: dict[str, int] = Field(default_factory=dict[str, int])
    """By role, questions that the provider left unanswered after all second attempts."""
    repairs: dict[str, int] = Field(default_factory=dict[str, int])
    """By role, answers that were sent back since they did not fit the form asked for; ``picks`` for missing picks."""
    second_attempts: int = 0
    """Calls that were made again since the provider failed, or since the answer was empty or cut."""
    announcements: int = 0
    """Turns that announced tool calls and made none."""
    struck_ids: int = 0
    """Evidence ids that syntheses cited, that no tool had shown, and that were taken out."""


class DiscardedRun(Record):
    """The usage of a run that was made again (``run --retry``), since its tokens were paid for."""

    system: str
    query_id: str
    repeat: int
    usage: dict[str, Usage]
    """By role."""

    @property
    def tokens(self) -> int:
        return sum(usage.total for usage in self.usage.values())


OUTAGES: frozenset[str] = frozenset({"unavailable", "timeout"})
"""Kinds of tool errors that are not the agent's fault: a server or the network failed."""


class Step(Record):
    """One model turn, tool call or synthesis. ``path`` is a place in the launch order, never completion order."""

    path: str
    """Whose step it is: ``0`` for a single agent; an agent below it has a path below, such as ``0.2``."""
    seq: int
    """Its place among the steps of that path."""
    kind: Literal["model", "tool", "synthesis"]
    """``synthesis`` is a report, or a part of one, made from findings."""
    role: str
    """Whose turn it is: researcher, supervisor, report …"""
    name: str | None = None
    """The tool of a tool call; in imported logs also the model of a model turn."""
    args: dict[str, Any] | None = None
    """The arguments of the tool call, as given."""
    mended: dict[str, str] | None = None
    """By argument: ids that were not written as the shop writes them, in the form in which they were read."""
    result_sha: str | None = None
    """sha256 of the text that the agent read; the run's file has it."""
    turn: int | None = None
    """For a later tool call of a turn, where model turns are not recorded: the ``seq`` of the turn's first call. Calls
    that overlap in time are of one turn."""
    evidence: tuple[str, ...] = ()
    """Ids of the evidence that the call handed out."""
    error: str | None = None
    """``kind: message`` of a failed call; None for any other step."""

    @property
    def is_outage(self) -> bool:
        """True if a server or the network made a tool call fail. The error begins with its kind."""
        return self.error is not None and self.error.partition(":")[0] in OUTAGES


TIME_LIMIT = "its time limit"
"""Where a run failed that took longer than it may."""


class RunError(Record):
    kind: ModelErrorKind
    where: str
    message: str
    traceback: str | None = None
    """For a fault in an agent's own code: the traceback, for its author."""


class StateChange(Record):
    """One field of a user's profile that the run changed in its overlay."""

    user_id: str
    field: str
    before: Any
    after: Any


PICKS_MISSING, PICKS_UNREADABLE, PICKS_UNASKED = "picks_missing", "picks_unreadable", "picks_unasked"
"""How a run's notes begin if its writer was asked for picks and declared none, or none that could be read; or if it is
from outside and may not have read that it should."""
CART_DECIDES = "the report declares no picks: what was in the cart at the end counts"
"""Such a note, if the agent filled the cart of the shop's pages."""


class Answer(Record):
    """What an agent returns; only the runner builds a Run from it."""

    report: str
    """In markdown, with evidence ids in square brackets after what they support."""
    picks: tuple[Pick, ...] | None = None
    """What belongs in the cart, if the agent declares it; empty if nothing does."""
    outcome: Outcome | None = None
    """The decision and its reasons. If it is absent, the decision follows from the picks."""
    stop: Stop = "finished"
    """Why the agent ended."""
    notes: tuple[str, ...] = ()
    """Sentences on what a reader of the run should know."""
    failed_branches: tuple[str, ...] = ()
    """One line for each researcher without a result: "0.2: timeout: …"."""
    repairs: tuple[str, ...] = ()
    """One line for each time the draft was sent back: what was wrong with it."""
    struck: tuple[Finding, ...] = ()
    """Findings that stayed wrong and were removed from the report."""
    understood: Wish | None = None
    """What the question wants, as the agent understood it; None if it doesn't say."""
    usage: Usage | None = None
    """The tokens of models that the agent asked by itself; None if it doesn't say."""


class Turn(Record):
    """A message of the user's in a conversation, and ``report[start:end]``, which answers it."""

    question: str
    start: int
    end: int
    steps: int = 0
    """How many of the run's steps were made up to this answer."""


class Run(Document):
    """What a system did for one query, without anything volatile."""

    run_id: str
    """``<system>/<query>-r<repeat>``."""
    system: str
    """The label under which experiment.json holds the System."""
    query_id: str
    """The query that it answers."""
    user_id: str | None = None
    """Who asks; None if nobody in particular does."""
    repeat: int = Field(ge=1)
    """From 1."""
    status: Literal["done", "failed"]
    """``failed``: there is no report to judge."""
    stop: Stop
    """Why it ended."""
    error: RunError | None = None
    """What made it fail; None if it did not fail."""
    report: str | None = None
    """With evidence ids; ``reports.render`` makes numbered references of them."""
    report_sha: str | None = None
    """sha256 of the report."""
    turns: tuple[Turn, ...] = Field(default=(), exclude_if=lambda turns: not turns)
    """The turns of an imported conversation of several, whose answers are the report; empty for a single answer."""
    picks: tuple[Pick, ...] | None = None
    """As the agent declared them; None if it declared none, or none that could be read."""
    outcome: Outcome | None = None
    """As the agent declared it; None if it declared none, and in runs from before outcomes existed."""
    citations: tuple[Citation, ...] = ()
    """The references in the report, in order."""
    citation_counts: CitationCounts = Field(default=CitationCounts(), exclude_if=lambda counts: counts.is_empty)
    """How many of its citations were read, and how many were not, by reason."""
    steps: tuple[Step, ...] = ()
    """Model turns, tool calls and syntheses, sorted by path and place in it."""
    failed_branches: tuple[str, ...] = ()
    """One line for each researcher without a result."""
    repairs: tuple[str, ...] = ()
    """One line for each time the draft was sent back."""
    struck: tuple[Finding, ...] = ()
    """Findings that stayed wrong and were removed from the report."""
    understood: Wish | None = None
    """What the query wants, as the agent understood it; None if it doesn't say."""
    setbacks: Setbacks | None = None
    """What went wrong on the way; None if no model of ours was asked."""
    state_diff: tuple[StateChange, ...] = ()
    """What tools changed in users' profiles, in the run's own copy of the world."""
    notes: tuple[str, ...] = ()
    """Sentences on what a reader should know, such as picks that could not be read."""
    usage: dict[str, Usage] = Field(default_factory=dict[str, Usage])
    """Tokens by role."""
    tools: tuple[str, ...] = ()
    """Names of the tools that the agent brought besides the nine."""
    tool_schema_hash: str | None = None
    """Hash of the tools' schemas as models got them."""
    world_fingerprint: str | None = None
    """Fingerprint of the world that it saw."""

    @property
    def is_undecided(self) -> bool:
        """True if picks were asked for and none were declared."""
        return self.picks is None and any(note.startswith((PICKS_MISSING, PICKS_UNREADABLE)) for note in self.notes)

    @property
    def losses(self) -> Counter[str]:
        """What the run did without because a provider gave no answer, by name: "researcher", "page summary" …

        Empty for a failed run, which has lost everything.
        """
        if self.status == "failed" or self.setbacks is None:
            return Counter()
        losses: Counter[str] = Counter()
        for role, count in self.setbacks.lost.items():
            losses[LOST_WITH.get(role, "model answer")] += count
        return losses

    @property
    def unanswered_calls(self) -> int:
        """How many of its tool calls got no answer from a server or the web."""
        tools = {*NINE, *self.tools}
        return sum(step.kind == "tool" and step.name in tools and step.is_outage for step in self.steps)

    @property
    def is_unreadable(self) -> bool:
        """True if its file is damaged, so that nothing is known of it."""
        return self.error is not None and self.error.kind == "unreadable"

    def is_lost(self, system: System) -> bool:
        """True if it failed because a provider, a server or the web did not answer, or if its file is damaged.

        A command or an address that is an agent fails by itself, however it does, and so does a run that takes longer
        than it may.
        """
        kind = None if self.error is None else self.error.kind
        is_own = system.is_command_or_address or (self.error is not None and self.error.where == TIME_LIMIT)
        return self.is_unreadable or (kind in PROVIDER_FAULTS and not is_own)

    def is_spoiled(self, system: System) -> bool:
        """True if a provider, a server or the web took the run, or a part of it, by not answering."""
        return self.is_lost(system) or bool(self.losses or self.unanswered_calls)


NO_REPORT = RunError(kind="no_report", where="import", message="the file holds no report on this question")


def imported_run(system: str, query_id: str, report: str, **others: Any) -> Run:
    """The run of a report that was written elsewhere, of which ``others`` are known; a failed one if it has no word."""
    is_empty = not report.strip()
    return Run(
        run_id=f"{system}/{query_id}-r1",
        system=system,
        query_id=query_id,
        repeat=1,
        status="failed" if is_empty else "done",
        stop="error" if is_empty else "finished",
        error=NO_REPORT if is_empty else None,
        report=None if is_empty else report,
        report_sha=None if is_empty else sha256_of(report),
        **others,
    )


def query_of_run(run_id: str) -> str:
    """The id of the query that the run of this id answers."""
    return run_id.partition("/")[2].rpartition("-r")[0]


def slug(text: str) -> str:
    """A text in the alphabet of labels: in lower case, with single hyphens for other characters.

    Behind a text that is not ASCII follows its hash, since 日本 and 中国 keep no letter.
    """
    # Folders of macOS decompose what a user types composed.
    folded = normalize("NFC", text).casefold()
    label = re.sub(r"[^a-z0-9.+_]+", "-", folded).strip("-") or "x"
    return label if text.isascii() else f"{label}-{sha256_of(folded)[:8]}"


def shortened(label: str) -> str:
    """The label itself, or if it is too long its beginning with its hash."""
    return label if len(label) <= LONGEST_LABEL else f"{label[: LONGEST_LABEL - 9]}-{sha256_of(label)[:8]}"


ERRANDS = frozenset({"search_sandbox", "read_file"})
"""The tools with which the agent dr3 opens a branch of a run."""
NINE = (
    "product_catalog_search",
    "get_product_details",
    "get_user_orders",
    "get_order_details",
    "get_user_profile",
    "update_user_profile",
    "get_user_statistics",
    "web_search",
    "calculator",
)
"""The nine tools, in the paper's order."""


Place = Literal["system", "floor", "ceiling"]
PLACES: tuple[Place, ...] = get_args(Place)
"""In the order of tables."""
Systems = Mapping[str, System]
"""By label. A label that is not in it is taken for a system that researches."""
NO_SYSTEMS: Systems = {}


def place_of(label: str, systems: Systems) -> Place:
    """A system's place: floors and the ceiling are known by their agents."""
    system = systems.get(label)
    if system is None or system.agent not in BASELINES:
        return "system"
    return "ceiling" if system.agent == ORACLE_AGENT else "floor"


def in_order(labels: Iterable[str], systems: Systems) -> list[str]:
    """Each label once: systems, floors by ``BASELINES``, the ceiling; sandboxes by size."""

    def key(label: str) -> tuple[int, int, str]:
        system = systems.get(label)
        floor = BASELINES.index(system.agent) if system is not None and system.agent in BASELINES else 0
        size = "" if system is None else str(system.options.get(SIZE, ""))
        digits = size.rstrip("km")
        sized = label.replace(f"-{SIZE}-{size}", f"-{SIZE}-{size[len(digits) :]}{digits:0>9}") if size else label
        return PLACES.index(place_of(label, systems)), floor, sized

    return sorted(set(labels), key=key)


def shared_models(labels: Iterable[str], systems: Systems) -> str:
    """The models' part of the labels if all systems with models share it, for tables to leave out, or else empty."""
    parts = [
        part for label in labels if label in systems and (part := systems[label].models_in_label) in label and part
    ]
    return parts[0] if len(parts) > 1 and len(set(parts)) == 1 else ""
