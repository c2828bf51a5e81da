"""What calls take: tokens, as the provider counts them or estimated, time, and dollars.

Budgets say when a run must conclude, and whether an experiment may start another run.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeGuard

from drretail.errors import UserError, shortened
from drretail.llm.prices import is_same_model
from drretail.records.base import canonical_json
from drretail.records.figures import count, counted
from drretail.records.figures import dollars as dollars_text
from drretail.records.run import REPORTED, RoleModel, System, Usage

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, BaseMessage


def cache_read_share(usage: Usage) -> float | None:
    """The share of all input tokens that the provider read from its cache, 0 to 1; None without input."""
    return usage.cache_read / usage.input if usage.input else None


@dataclass(frozen=True, slots=True)
class Cost:
    """Tokens and what they cost, with the models whose price is unknown."""

    usage: Usage
    unpriced: tuple[str, ...] = ()

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.usage + other.usage, tuple(sorted({*self.unpriced, *other.unpriced})))

    @property
    def dollars(self) -> float | None:
        """None if the price of a call is unknown."""
        return self.usage.dollars

    @property
    def document(self) -> dict[str, Any]:
        """Tokens and dollars for ``--json``."""
        return {**self.usage.model_dump(exclude={"nanodollars", "unpriced"}), "dollars": self.dollars}


NOTHING = Cost(Usage())


def cost_by_role(usage: Mapping[str, Usage], models: Mapping[str, RoleModel]) -> dict[str, Cost]:
    """The cost of every role that used tokens. Raises UserError for a role without a model (an edited run)."""
    if strange := sorted(usage.keys() - models.keys() - {REPORTED}):
        raise UserError(
            f"A run counts tokens for the role {strange[0]!r}, and its system has no such role: restore it, or make "
            "it again."
        )
    # What an agent reports is of models that it does not name.
    specs = {role: models[role].spec for role, used in usage.items() if used.unpriced and role in models}
    unknown = {role: tuple(other_models(spec, usage[role])) or (spec,) for role, spec in specs.items()}
    return {role: Cost(used, unknown.get(role, ())) for role, used in sorted(usage.items())}


def cost_of(usage: Mapping[str, Usage], models: Mapping[str, RoleModel]) -> Cost:
    """The cost of all roles together."""
    return sum(cost_by_role(usage, models).values(), NOTHING)


RESERVE = 0.1
"""The least share of a budget that is kept for the report."""
SLACK = 1.1
"""By which factor the last call may exceed a budget: its size is an estimate, and it is mostly the report."""
SMALLEST_BRANCH = 15_000
"""Tokens that a researcher needs for useful work: its instructions, the tools, some results, and their synthesis."""
LEAST_BRANCH = 8_000
"""Tokens below which a researcher finds nothing of use."""
CHARACTERS_PER_TOKEN = 4
"""A rule of thumb, used if nothing better is known."""


@dataclass(frozen=True, slots=True)
class Budget:
    """One limit, in tokens or in dollars; None = no limit. ``last_call`` is what the last call took."""

    limit: float | None
    spent: float = 0
    last_call: float = 0

    @property
    def reserve(self) -> float:
        return max(RESERVE * (self.limit or 0), self.last_call)

    @property
    def nearly_spent(self) -> bool:
        """True if one more turn and the report after it might not fit."""
        return self.limit is not None and self.spent + self.last_call + self.reserve > self.limit

    def exceeded_by(self, coming: float) -> bool:
        """True if nothing is left, or if a call that takes ``coming`` exceeds the limit and its slack."""
        return self.limit is not None and (self.spent >= self.limit or self.spent + coming > SLACK * self.limit)

    def share(self, count: int) -> float | None:
        """What each of ``count`` branches may spend of what is left, without the reserve; None without a limit."""
        return None if self.limit is None else (self.limit - self.spent - self.reserve) / count


Admission = Literal["yes", "wait", "no"]
UNITS = ("tokens", "dollars")


@dataclass(slots=True)
class ExperimentBudget:
    """Caps for all runs of an experiment together; None = no cap. A cap in dollars needs known prices.

    Call ``begin`` (or ``admission``) before a run, ``end`` after it, and ``count`` for runs that ended earlier.
    """

    tokens: int | None = None
    dollars: float | None = None
    refused: int = 0
    """How many runs were not started."""
    untold: str | None = None
    """A system of which it is unknown what a run took: the agent did not say, or a model without a price answered."""
    spent: dict[str, float] = field(default_factory=lambda: dict.fromkeys(UNITS, 0.0))
    _dearest: dict[str, dict[str, float]] = field(default_factory=dict[str, dict[str, float]])
    _in_flight: dict[str, int] = field(default_factory=lambda: defaultdict[str, int](int))
    _expected: dict[str, dict[str, float | None]] = field(default_factory=dict[str, dict[str, float | None]])
    _waiting: list["asyncio.Future[None]"] = field(default_factory=list["asyncio.Future[None]"])

    def count(self, label: str, system: System, usage: Mapping[str, Usage]) -> None:
        """Adds what a run used to what is spent."""
        cost = cost_of(usage, system.models)
        is_unseen = not usage and (not system.models or (system.is_command_or_address and not system.is_sealed))
        if is_unseen or (self.dollars is not None and cost.dollars is None):
            self.untold = label
        took = {"tokens": cost.usage.total, "dollars": cost.dollars or 0.0}
        for unit in UNITS:
            self.spent[unit] += took[unit]
        if cost.usage.total:  # a run that failed before its first answer says nothing about the others
            dearest = self._dearest.setdefault(label, dict.fromkeys(UNITS, 0.0))
            dearest |= {unit: max(dearest[unit], took[unit]) for unit in UNITS}
            self._dearest[label] = dearest

    def begin(self, label: str, system: System) -> Admission:
        """Whether a run of this system may start: "yes" (it is then in flight), "no", or "wait" until one ends.

        A run that may take an unknown amount starts only if no other is in flight.
        """
        # A run is expected to take what the dearest so far took; before that its own limit, or an unknown amount.
        limits = {"tokens": system.limits.tokens, "dollars": system.limits.dollars}
        self._expected[label] = {**self._dearest.get(label, limits)}
        answers = ["no" if self.untold else self._answer(unit, label) for unit in UNITS]
        answer: Admission = "no" if "no" in answers else "wait" if "wait" in answers else "yes"
        self._in_flight[label] += answer == "yes"
        self.refused += answer == "no"
        return answer

    async def admission(self, label: str, system: System) -> bool:
        """``begin``, repeated while the answer is "wait": True if the run may start."""
        while (answer := self.begin(label, system)) == "wait":
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn
        return answer == "yes"

    def end(self, label: str, system: System, usage: Mapping[str, Usage]) -> None:
        """Counts a run that had begun as ended, done or failed, and wakes the runs that wait."""
        self._in_flight[label] -= 1
        self.count(label, system, usage)
        waiting, self._waiting = self._waiting, []
        for turn in waiting:
            if not turn.done():
                turn.set_result(None)

    @property
    def closing(self) -> str | None:
        """A sentence that says why runs were not started; None if all were."""
        if not self.refused:
            return None
        caps = [f"${self.dollars:g}"] if self.dollars is not None else []
        caps += [f"{self.tokens:,} tokens"] if self.tokens is not None else []
        took = f"${dollars_text(self.spent['dollars'])} and " if self.dollars is not None else ""
        caps_by_flag = {"--max-dollars": self.dollars, "--max-tokens": self.tokens}
        flags = " or ".join(flag for flag, cap in caps_by_flag.items() if cap is not None)
        if self.untold:
            return (
                f"{flags} can't hold for {self.untold}: what a run of it took is unknown. Not started: "
                f"{self.refused:,}. Leave the cap out; an agent that asks its models by itself may return its usage "
                "(docs/agents.md)."
            )
        return (
            f"The experiment's cap of {' or '.join(caps)} leaves no room for another run: its runs took {took}"
            f"{count(self.spent['tokens'])} tokens. Not started: {self.refused:,}. "
            f"The same command with a higher {flags} continues from here."
        )

    def _answer(self, unit: str, label: str) -> Admission:
        cap = self.dollars if unit == "dollars" else self.tokens
        if cap is None:
            return "yes"
        running = sum(self._in_flight.values())
        expected = self._expected[label][unit]
        if self.spent[unit] >= cap:
            return "no"
        if expected is None:
            return "wait" if running else "yes"
        reserved = sum(count * (self._expected[name][unit] or 0) for name, count in self._in_flight.items())
        if self.spent[unit] + reserved + expected <= cap:
            return "yes"
        return "wait" if running else "no"


UNSEEN_TOKENS = 1_000_000
"""Tokens that a provider may count beyond the text it was sent or gave: its own instructions, thinking, images."""
ESTIMATED = "usage_estimated"
"""The key in an answer's response metadata that says that its tokens are estimated from its text."""


def estimated_tokens(chat: Any, messages: Sequence["BaseMessage"]) -> int:
    """The tokens of a question, estimated from its characters and those of its tools."""
    texts = [message.content if isinstance(message.content, str) else str(message.content) for message in messages]
    tools = getattr(chat, "kwargs", {}).get("tools", [])
    characters = sum(map(len, texts)) + (len(canonical_json(tools)) if tools else 0)
    return characters // CHARACTERS_PER_TOKEN


def with_possible_usage(answer: "AIMessage", chat: Any, messages: Sequence["BaseMessage"]) -> "AIMessage":
    """The answer with token counts that can be true, so that a cap on tokens holds.

    A count that is missing, negative, no whole number, 0 for a text, or more than its text could ever have is replaced
    by an estimate.
    """
    reported: Mapping[str, Any] = answer.usage_metadata or {}
    calls = [call["args"] for call in answer.tool_calls]
    written = (len(answer.text) + (len(str(calls)) if calls else 0)) // CHARACTERS_PER_TOKEN
    read, output = (_as_number(reported.get(name)) for name in ("input_tokens", "output_tokens"))
    # A usual count is possible for any question, and measuring one with its tools takes longer than the rest of this.
    is_usual = type(read) is int and 1 <= read <= UNSEEN_TOKENS
    question = 1 if is_usual else estimated_tokens(chat, messages)
    is_possible = _is_possible(read, question) and _is_possible(output, written)
    if is_possible and (read, output) == (reported.get("input_tokens"), reported.get("output_tokens")):
        return answer
    details = reported.get("input_token_details") if _is_possible(read, question) else None
    read = read if _is_possible(read, question) else max(question, 1)
    output = output if _is_possible(output, written) else max(written, 1)
    usage = {"input_tokens": read, "output_tokens": output, "total_tokens": read + output}
    usage |= {"input_token_details": details} if details else {}
    metadata = {**answer.response_metadata, **({} if is_possible else {ESTIMATED: True})}
    return answer.model_copy(update={"usage_metadata": usage, "response_metadata": metadata})


def estimated_note(used: Iterable[Usage]) -> tuple[str, ...]:
    """A note for tables: how many answers have estimated tokens. Empty if the providers counted all."""
    usages = list(used)
    estimated, calls = (sum(getattr(usage, name) for usage in usages) for name in ("estimated", "calls"))
    if not estimated:
        return ()
    answers = f"{counted(estimated, 'answer')} in {counted(calls, 'call')} came without a possible count of tokens"
    return (f"{answers}: tokens and dollars are estimated from the text there.",)


def usage_by_model(usage: Mapping[str, Usage], models: Mapping[str, RoleModel]) -> Iterator[tuple[str, Usage]]:
    """ "provider:model" and the usage of each role that has a model."""
    return ((models[role].spec, used) for role, used in usage.items() if role in models)


def served_notes(asked: Iterable[tuple[str, Usage]]) -> Iterator[str]:
    """A note for each model, "provider:model", in whose place another one answered: which one, and how often."""
    total: dict[str, Usage] = {}
    for spec, usage in asked:
        total[spec] = total.get(spec, Usage()) + usage
    for spec, usage in total.items():
        if others := other_models(spec, usage):
            by_name = ", ".join(f"{name} ({usage.served[name]:,} of {counted(usage.calls, 'call')})" for name in others)
            yield f"{spec} was asked for, and its provider says that another model answered: {by_name}."


def other_models(spec: str, usage: Usage) -> list[str]:
    """The models that answered in place of the one that "provider:model" names."""
    return [name for name in usage.served if not is_same_model(spec, name)]


def _as_number(count: object) -> object:
    """The count; a number that a server wrote as text is read."""
    return int(count) if isinstance(count, str) and count.isdecimal() else count


def _is_possible(count: object, text_tokens: int) -> TypeGuard[int]:
    """True if a text of about ``text_tokens`` can have this count: no tokenizer makes more than one token of a byte."""
    if not isinstance(count, int) or isinstance(count, bool):
        return False
    least = 1 if text_tokens else 0
    return least <= count <= UNSEEN_TOKENS + 4 * CHARACTERS_PER_TOKEN * text_tokens  # 4 bytes a character at most


def usage_of(message: "AIMessage") -> Usage:
    """The tokens of one call. langchain counts the cached parts within ``input_tokens``; here they are separate."""
    reported, metadata = message.usage_metadata, message.response_metadata
    name = metadata.get("model_name") or metadata.get("model")
    served = {shortened(name): 1} if isinstance(name, str) and name else {}
    if reported is None:
        return Usage(calls=1, served=served)
    details = reported.get("input_token_details") or {}
    whole = reported["input_tokens"]
    read = min(_detail(details.get("cache_read")), whole)
    # With a stated lifetime Anthropic reports the written part under these names, and cache_creation is then 0.
    lifetimes = ("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens")
    created = _detail(details.get("cache_creation")) or sum(_detail(details.get(name)) for name in lifetimes)
    created = min(created, whole - read)
    return Usage(
        calls=1,
        input_uncached=whole - read - created,
        cache_read=read,
        cache_creation=created,
        output=reported["output_tokens"],
        estimated=int(metadata.get(ESTIMATED, False)),
        served=served,
    )


def _detail(count: object) -> int:
    """A part of the input's tokens; 0 if it is not a count."""
    return max(0, count) if isinstance(count, int) else 0
