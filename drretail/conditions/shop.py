"""Which web a system meets: a sandbox's size and pages, where they come from."""

import re
from typing import Any

from drretail.conditions.condition import Condition, dropping, with_options
from drretail.env.web.sandbox import SERVED, SealedWeb
from drretail.env.world import World
from drretail.errors import UserError
from drretail.records.run import COMPOSE, SANDBOX, SIZE, System

NO_WEB = "none"
_SIZE = re.compile(r"(\d+)([km]?)")
_TIMES = {"": 1, "k": 1_000, "m": 1_000_000}


def size_tokens(size: str) -> float | None:
    """The number of tokens that "64k" means; None for a size whose name does not state it."""
    match = _SIZE.fullmatch(size)
    return None if match is None else float(match[1]) * _TIMES[match[2]]


class _OfSandbox(Condition):
    """What a sandbox with pages for each query serves: an option and the hash of its pages."""

    def put(self, system: System, value: str, world: World) -> System:
        if not isinstance(world.web, SealedWeb):
            raise UserError(f"--vary {self.name} is for a sandbox's folder: name one with --web sandbox:FOLDER.")
        options: dict[str, Any] = {SIZE: None, COMPOSE: None}
        part = world.web.at(**{name: system.options.get(name) for name in options} | {self.name: value})
        return with_options(system, options | part.options, web_corpus=part.corpus)

    def of(self, system: System) -> str | None:
        return super().of(system) if SIZE in system.options else None

    def without(self, system: System) -> System:
        return dropping(system, self.name, web_corpus=None)


class _Size(_OfSandbox):
    def number(self, value: str) -> float | None:
        return size_tokens(value)

    def order(self, value: str) -> tuple[float, str]:
        number = size_tokens(value)
        return float("inf") if number is None else number, value


class _Web(Condition):
    """Where pages come from. A world has one web, so systems with others come from other runs."""

    def put(self, system: System, value: str, world: World) -> System:
        raise UserError("A run has one web: run it with --web A, and again with --web B into the same folder.")

    def of(self, system: System) -> str | None:
        if COMPOSE in system.options:  # only a part of a sandbox is served, which is ``compose``
            return None
        if "web" in system.options.get("without", ()):
            return NO_WEB
        return " ".join(filter(None, (system.web_provider, system.options.get(SIZE))))

    def without(self, system: System) -> System:
        return dropping(system, SIZE, tools="web", web_provider=SANDBOX, web_corpus=None)

    def order(self, value: str) -> tuple[float, str]:
        # The open web first, then sandboxes by size (which adds less than 1), then no web.
        provider, _, size = value.partition(" ")
        return {SANDBOX: 1.0, NO_WEB: 3.0}.get(provider, 0.0) + (size_tokens(size) or 0) / 1e12, value

    def kind(self, value: str) -> str:
        return value.partition(" ")[0]

    def words(self, value: str) -> str:
        if value == NO_WEB:
            return "no web"
        return value if value.startswith(SANDBOX) else f"{value} (open web)"


SIZE_CONDITION = _Size(name=SIZE, about="the sandbox's size in tokens", form="32k", is_stepwise=True)
COMPOSE_CONDITION = _OfSandbox(
    name=COMPOSE,
    about="which pages of the sandbox are served",
    values=tuple(SERVED),
    in_words={
        "no_distractor": "no distractors",
        "supportive_only": "supportive alone",
        "no_supportive": "no supportive",
    },
)
WEB_CONDITION = _Web(name="web", about="where pages come from", default=SANDBOX)
