"""One run's view of the world: what it is given, and its state: what was changed, what was seen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from drretail.env.altered.moves import Moves, store_as_seen
from drretail.env.ledger import Ledger
from drretail.env.store.base import Store
from drretail.env.world import World
from drretail.grounding.constraints.releases import Release, releases
from drretail.journal import Effects, Journal
from drretail.records.query import Query
from drretail.records.run import Scope, StateChange, WebMode
from drretail.records.shop import UserProfile
from drretail.records.trajectory import Place, Trajectory
from drretail.records.wish import Hidden, Topic

RESULTS = 5
"""The results of one web search (paper section 5.3)."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A tool call for the data of a user who is not the acting user."""

    path: str
    seq: int
    tool: str
    user_id: str
    refused: bool


class Speaker(Protocol):
    """Puts the released facts into words, which nothing else limits. Returns None to use the scripted words."""

    def __call__(self, topic: Topic, question: str, facts: Sequence[Hidden], effects: Effects) -> str | None: ...


@dataclass(slots=True)
class Shopper:
    """One run's talk with the shopper, one question at a time."""

    query: Query
    speaker: Speaker | None = None
    answers: list[tuple[Release, str]] = field(default_factory=list[tuple[Release, str]])
    """The releases so far, each with its words."""
    notes: list[str] = field(default_factory=list[str])
    """A line for each answer for which the speaker found no words."""

    def answer(self, topic: Topic, question: str, effects: Effects) -> tuple[Release, str]:
        """The release for this question, and the words for it."""
        (*_, now) = releases(self.query, [*(before.topic for before, _ in self.answers), topic])
        spoken = self.speaker(topic, question, now.facts, effects) if self.speaker and now.is_answered else None
        if self.speaker and now.facts and spoken is None:
            self.notes.append(f"the shopper's scripted words stand for answer {len(self.answers) + 1}, on {topic}")
        self.answers.append((now, now.answer if spoken is None else spoken))
        return self.answers[-1]


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """What a run is given: the world and whose data in it, its tools and their limits."""

    world: World
    user_id: str | None = None
    scope: Scope = "own"
    """Other users' data is refused, or with "any" shown, as in the paper. Attempts are recorded either way."""
    redact: bool = False
    """True if personal data is taken out of a query before the query is sent to a search engine."""
    web_k: int = RESULTS
    web_mode: WebMode = "snippets"
    """What a search returns of a page: a snippet, a summary of the whole (paper section 5.3), or the part that fits."""
    without: frozenset[str] = frozenset()
    """The names of tools that this run does not have."""
    tools: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The agent's own tools, beside the nine: each a ``Tool`` of the layer above."""
    files: Path | None = None
    """The folder of the user's own files; None if there is none."""
    moves: Moves | None = None
    """What changes in the shop during the run; None if nothing does."""
    tool_timeout: float = 30
    """Seconds for one tool call."""
    tool_threads: int = 4

    @property
    def now(self) -> datetime:
        """The shop's today, never the wall clock's."""
        return self.world.manifest.now

    @property
    def web_is_live(self) -> bool:
        """True if pages come from the open web, and may be younger than the shop's today."""
        return self.world.web.corpus is None


@dataclass(slots=True)
class Session:
    """The hidden first argument of every tool: what one run is given, and what has happened in it.

    Profile updates live in ``overlay`` (copy on write): the world never changes during a run, and a
    new session starts from it in no time.
    """

    settings: SessionSettings
    shopper: Shopper | None = None
    """The shopper that can be asked; None if nobody can."""
    journal: Journal = field(default_factory=Journal)
    trajectory: Trajectory = field(default_factory=Trajectory)
    ledger: Ledger = field(default_factory=Ledger)
    overlay: dict[str, UserProfile] = field(default_factory=dict)
    before: dict[str, UserProfile] = field(default_factory=dict)
    """The world's profiles of the users in ``overlay``, as they were at the first update."""
    attempts: list[Attempt] = field(default_factory=list)
    """Granted and refused attempts, by path and seq."""
    sent: dict[Place, str] = field(default_factory=dict[Place, str])
    """The queries that were sent to a search engine instead of those asked, by place; blank if nothing was sent."""

    def seal(self) -> None:
        """Puts everything so far before whatever any path does next. Call it only while no researcher is running."""
        self.ledger.seal()
        self.trajectory.seal()

    @property
    def store_seen(self) -> Store:
        """The world's records as this run last saw them, if the shop moves; otherwise the world's own."""
        store = self.settings.world.store
        return (
            store if self.settings.moves is None else store_as_seen(store, self.settings.moves, self.trajectory.steps())
        )

    def effects(self, path: str, seq: int) -> Effects:
        """The journal of one step's outside effects. It does not depend on parallel steps."""
        return self.journal.scope(f"{path}/{seq}")

    def user(self, user_id: str) -> UserProfile:
        """The profile as this run sees it. Raises NotFound for an unknown user."""
        return self.overlay.get(user_id) or self.settings.world.store.user(user_id)

    def update_user(self, profile: UserProfile) -> None:
        """Changes a profile for this run only. Raises NotFound for an unknown user."""
        if profile.user_id not in self.before:
            self.before[profile.user_id] = self.settings.world.store.user(profile.user_id)
        self.overlay[profile.user_id] = profile

    def state_diff(self) -> tuple[StateChange, ...]:
        """Every profile field that differs from the world's, by user and field; the world is not asked again."""
        changes: list[StateChange] = []
        for user_id, after in sorted(self.overlay.items()):
            before = flat(self.before[user_id].model_dump(mode="json"))
            for name, value in flat(after.model_dump(mode="json")).items():
                if value != before.get(name):
                    changes.append(StateChange(user_id=user_id, field=name, before=before.get(name), after=value))
        return tuple(changes)


def flat(value: Mapping[str, object], prefix: str = "") -> dict[str, object]:
    """A nested mapping with dotted keys."""
    leaves: dict[str, object] = {}
    for name, item in value.items():
        leaves |= flat(item, f"{prefix}{name}.") if isinstance(item, Mapping) else {f"{prefix}{name}": item}
    return leaves
