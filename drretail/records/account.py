"""What came into a stage and what became of it: used, merged or left out, by reason, and what may be said of the rest.

Every stage that takes many things and gives many keeps one ``Account``. Whoever takes things in calls ``take`` where
they come in, and ``use``, ``merge`` or ``leave_out`` where their fate is decided, so that a lost one shows: the sum is
then wrong, which is a bug of ours (``adds_up``).
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pydantic import TypeAdapter

from drretail.records.figures import counted


@dataclass(slots=True)
class Fate:
    """Things that one reason kept out."""

    count: int = 0
    first: str = ""
    """Where the first of them stands: a file with its line, an id, an address."""
    failed: bool = False
    """True for things that were asked for and not done; False for those that a rule or a known fault left out."""

    def __str__(self) -> str:
        return f"{self.count:,}, first: {self.first}" if self.first else f"{self.count:,}"


@dataclass(slots=True)
class Account:
    """How many things a stage took in, and the fate of each: in = used + merged + left out."""

    stage: str
    """What was done, as the reader knows it: "import", "false answers by offline:judge"."""
    unit: str
    """What is counted, in the singular: "conversation"."""
    came: int = 0
    used: int = 0
    merged: dict[str, Fate] = field(default_factory=dict[str, Fate])
    """By reason: what is one thing with another that is used."""
    left_out: dict[str, Fate] = field(default_factory=dict[str, Fate])
    """By reason."""

    @classmethod
    def of(cls, stage: str, unit: str, used: int, left_out: Mapping[str, int]) -> "Account":
        """The account of things whose fates were counted before; those that are left out by reason."""
        account = cls(stage, unit, used + sum(left_out.values()), used)
        for reason, count in left_out.items():
            account.leave_out(reason, count=count)
        return account

    def take(self, count: int = 1) -> None:
        """Counts things as they come in."""
        self.came += count

    def use(self, count: int = 1) -> None:
        """Counts things that are part of what is made."""
        self.used += count

    def merge(self, reason: str, first: str = "", count: int = 1) -> None:
        """Counts things that are held already: "the same id as another". ``first`` is the place of the first one."""
        _add(self.merged, reason, first, count, failed=False)

    def leave_out(self, reason: str, first: str = "", count: int = 1, *, failed: bool = False) -> None:
        """Counts things that are not used: "no question in it". With ``failed`` the command ends with 3."""
        _add(self.left_out, reason, first, count, failed=failed)

    def add(self, other: "Account", place: str = "") -> None:
        """Adds what another account counted. ``place`` comes before the places of its first things: "a.csv, line "."""
        self.came, self.used = self.came + other.came, self.used + other.used
        for own, fates in ((self.merged, other.merged), (self.left_out, other.left_out)):
            for reason, fate in fates.items():
                _add(own, reason, fate.first and f"{place}{fate.first}", fate.count, failed=fate.failed)

    @property
    def adds_up(self) -> bool:
        """False if something was lost on the way, or counted twice."""
        return self.came == self.used + self.n_merged + self.n_left_out

    @property
    def n_merged(self) -> int:
        return sum(fate.count for fate in self.merged.values())

    @property
    def n_left_out(self) -> int:
        return sum(fate.count for fate in self.left_out.values())

    @property
    def is_whole(self) -> bool:
        """True if everything that came in was used; False if nothing came in."""
        return 0 < self.came == self.used

    @property
    def has_failed(self) -> bool:
        """True if something that was asked for was not done."""
        return any(fate.failed for fate in self.left_out.values())

    @property
    def is_unfinished(self) -> bool:
        """True if something that was asked for was not done, or nothing came of anything: exit code 3."""
        return self.has_failed or not (self.used or self.merged)

    @property
    def sign(self) -> str:
        """The sign before what is praised: a tick only if everything was looked at."""
        return "✓" if self.is_whole else "?"

    @property
    def reasons(self) -> str:
        """Why the rest was not used: "the judge failed: HTTP 400 (3, first: q1-r1), no figure in it (1)"."""
        return ", ".join(f"{reason} ({fate})" for reason, fate in (self.left_out | self.merged).items())

    def praise(self, nothing: str, *, bare: bool = False) -> str:
        """The one sentence by which anything is praised, for as much as was looked at and no more.

        ``nothing`` is what was found: "no fault was found". Of an account of all: "No fault was found in 5 answers.",
        and if ``bare``, where it is said elsewhere of what, "No fault was found."
        Of a part, how many of how many were looked at and why not the others. Where nothing was looked at: "5 answers,
        none of which could be looked at: the judge failed (5, first: q1-r1)."
        """
        began = nothing[:1].upper() + nothing[1:]
        everything = counted(self.came, self.unit)
        if self.is_whole:
            return f"{began}." if bare else f"{began} in {everything}."
        if not self.came:
            return f"There was no {self.unit} to look at."
        why = f": {self.reasons}" if self.reasons else ""
        if not self.used:
            one = "which" if self.came == 1 else "none of which"
            could = "could not" if self.came == 1 else "could"
            return f"{everything}, {one} {could} be looked at{why}."
        many = everything.partition(" ")[2]
        left = self.came - self.used
        were = "was" if left == 1 else "were"
        return f"{began} in the {self.used:,} of {self.came:,} {many} looked at; {left:,} {were} not{why}."

    def document(self) -> dict[str, Any]:
        """The account for JSON, as ``Account.read`` takes it."""
        return asdict(self)

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> "Account":
        """The account of a document. Raises ValidationError for one of another shape."""
        return TypeAdapter(cls).validate_python(document)


def _add(fates: dict[str, Fate], reason: str, first: str, count: int, *, failed: bool) -> None:
    if count:
        fate = fates.setdefault(reason, Fate(first=first))
        fate.count += count
        fate.failed |= failed


def wrong_sums(accounts: Iterable[Account]) -> str:
    """A sentence that names the stages that lost count, each a bug of ours; empty if all add up."""
    wrong = [
        f"{account.stage}: {counted(account.came, account.unit)} in, {account.used:,} used, {account.n_merged:,} "
        f"merged, {account.n_left_out:,} left out"
        for account in accounts
        if not account.adds_up
    ]
    return f"drretail lost count ({'; '.join(wrong)}). What was made is kept; please report this." if wrong else ""
