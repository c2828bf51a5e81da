"""One run's view of the world: acting user, overlay, journal, and the ledger of the evidence that it was given."""

import asyncio
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from drretail.env.world import World
from drretail.errors import DrretailError
from drretail.experiments.journal import Effects, Journal
from drretail.records.evidence import Evidence, EvidenceText, Source
from drretail.records.run import Scope, SearchMix, StateChange, WebMode
from drretail.records.shop import UserProfile
from drretail.records.trajectory import Trajectory, path_key


class EvidenceCollision(DrretailError):
    """Two sources have the same evidence id within one run."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The sources that one step showed, and what the run had changed by then; ``seq`` is -1 for all turns before."""

    path: str
    seq: int
    sources: tuple[Source, ...]
    changes: tuple[StateChange, ...] = ()


class EvidenceLedger:
    """Collects evidence from any number of threads.

    Its results are in the order of the places in the run, whichever parallel researcher came first.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._keys: dict[str, str] = {}
        self._sources: list[_Placed] = []
        self._evidence: tuple[Evidence, ...] | None = None
        """All evidence so far; None after a new entry."""
        self.steps: set[tuple[str, int]] = set()
        """The places of the steps whose sources were entered."""
        self._shared = 0
        """The number of sources that every path knows."""
        self.was_shown_before = False
        """True if the run goes on with what earlier turns were shown."""

    def add(self, sources: Iterable[Source], path: str, seq: int) -> tuple[str, ...]:
        """Enters the sources of one step, and returns their distinct ids in order.

        A text that is there already is kept once, and counts as shown if it was ever shown. Raises EvidenceCollision if
        an id already stands for another source.
        """
        ids: dict[str, None] = {}
        numbers = path_key(path)
        with self._lock:
            self._evidence = None
            self.steps.add((path, seq))
            for index, source in enumerate(sources):
                key = self._keys.setdefault(source.id, source.key)
                if key != source.key:
                    raise EvidenceCollision(f"{source.id} stands for {key!r} and for {source.key!r}")
                self._sources.append(_Placed((numbers, seq, index), source, source.as_text(path, seq)))
                ids[source.id] = None
        return tuple(ids)

    def shown(self, path: str) -> list[Shown]:
        """What each step at this path showed, in their order."""
        key = path_key(path)
        steps: dict[int, list[Source]] = {}
        with self._lock:
            for placed in sorted(
                (placed for placed in self._sources if placed.place[0] == key), key=lambda placed: placed.place
            ):
                steps.setdefault(placed.place[1], []).append(placed.source)
        return [Shown(path, seq, tuple(sources)) for seq, sources in steps.items()]

    def carry(self, evidence: Iterable[Evidence]) -> None:
        """Enters what the turns before this run were shown; every path knows it. Call it before the first step."""
        shown = [dict(entry) | dict(text) for entry in evidence for text in entry.texts]
        self.add([Source(**{name: fields[name] for name in Source.model_fields}) for fields in shown], "0", -1)
        self.was_shown_before = bool(shown)
        self.seal()

    def seal(self) -> None:
        """Makes all entries so far known to every path. Call it only while nothing runs that could add an entry."""
        with self._lock:
            self._shared = len(self._sources)

    def known_at(self, path: str) -> tuple[Evidence, ...]:
        """The evidence that a step at ``path`` can know: sealed entries, and those of earlier turns at this very path.

        Entries of parallel paths are left out, so that the result does not depend on which researcher comes first.
        """
        key = path_key(path)
        with self._lock:
            shared, later = self._sources[: self._shared], self._sources[self._shared :]
            return _entries([*shared, *(placed for placed in later if placed.place[0] == key)])

    def evidence(self) -> tuple[Evidence, ...]:
        """All evidence so far, in the order of the steps that first brought it."""
        with self._lock:
            if self._evidence is None:
                self._evidence = _entries(self._sources)
            return self._evidence


_OF_ENTRY = {"id", "kind", "key", "title", "url", "image", "date", "state", "problem"}


class _Placed(NamedTuple):
    """One source with its place: path, seq, and index within the step."""

    place: tuple[tuple[int, ...], int, int]
    source: Source
    text: EvidenceText


def _entries(sources: Iterable[_Placed]) -> tuple[Evidence, ...]:
    by_id: dict[str, list[_Placed]] = {}
    for placed in sorted(sources, key=lambda placed: placed.place):
        by_id.setdefault(placed.source.id, []).append(placed)
    return tuple(map(_entry, by_id.values()))


def _entry(places: list[_Placed]) -> Evidence:
    """All that was shown of one source, with each text once."""
    texts: dict[tuple[str, str], EvidenceText] = {}
    for _, _, text in places:
        before = texts.setdefault((text.form, text.text), text)
        if text.shown and not before.shown:
            texts[text.form, text.text] = before.model_copy(update={"shown": True})
    sources = [placed.source for placed in places]
    whole = next((source for source in sources if source.state == "ok"), sources[0])  # one that was ever read is "ok"
    fields: dict[str, Any] = {name: getattr(sources[0], name) for name in _OF_ENTRY}
    fields |= {"state": whole.state, "problem": whole.problem, "texts": tuple(texts.values())}
    fields["date"] = next((source.date for source in sources if source.date), None)
    return Evidence(**fields)


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


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """What a run is given: the world and whose data in it, its tools and their limits."""

    world: World
    user_id: str | None = None
    scope: Scope = "own"
    """Other users' data is refused, or with "any" shown, as in the paper. Attempts are recorded either way."""
    web_k: int = RESULTS
    web_mode: WebMode = "snippets"
    """What a search returns of a page: a snippet, a summary of the whole (paper section 5.3), or the part that fits."""
    without: frozenset[str] = frozenset()
    """The names of tools that this run does not have."""
    mix: SearchMix = "turns"
    """What a search of an agent from outside gives."""
    tools: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The agent's own tools, beside the nine: each a ``Tool`` of the layer above."""
    files: Path | None = None
    """The folder of the user's own files; None if there is none."""
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
    journal: Journal = field(default_factory=Journal)
    trajectory: Trajectory = field(default_factory=Trajectory)
    ledger: EvidenceLedger = field(default_factory=EvidenceLedger)
    overlay: dict[str, UserProfile] = field(default_factory=dict)
    before: dict[str, UserProfile] = field(default_factory=dict)
    """The world's profiles of the users in ``overlay``, as they were at the first update."""
    attempts: list[Attempt] = field(default_factory=list)
    """Granted and refused attempts, by path and seq."""
    by_request: bool = False
    """True if outside effects are known by what is asked alone: an agent from outside may ask in any order."""

    async def recall(self, steps: Iterable[Shown]) -> None:
        """Enters what these steps showed and changed, if it is not there: a run that was cut has a new session."""
        for step in steps:
            if (step.path, step.seq) not in self.ledger.steps:
                self.ledger.add(step.sources, step.path, step.seq)
                self.ledger.was_shown_before |= step.seq < 0
                self.trajectory.go_on_after(step.path, step.seq)
                await asyncio.to_thread(self.redo, step.changes) if step.changes else None

    def redo(self, changes: Iterable[StateChange]) -> None:
        """Changes profiles as the run, or the turns before it, changed them."""
        for change in changes:
            profile, (part, _, name) = self.user(change.user_id), change.field.rpartition(".")
            value = getattr(profile, part).model_copy(update={name: change.after}) if part else change.after
            self.update_user(profile.model_copy(update={part or name: value}))

    def seal(self) -> None:
        """Puts everything so far before whatever any path does next. Call it only while no researcher is running."""
        self.ledger.seal()

    def effects(self, path: str, seq: int) -> Effects:
        """The journal of one step's outside effects. It does not depend on parallel steps."""
        return self.journal.scope("doors" if self.by_request else f"{path}/{seq}")

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
