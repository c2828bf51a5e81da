"""What ``verify`` says of an experiment's folder: each check passes, fails, or can't be made."""

from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import computed_field

from drretail.errors import CommandStopped, UserError, describe_error
from drretail.records.base import Document, Record

CheckState = Literal["pass", "fail", "not_checkable"]
ASK_FOR_ALL = "Ask whoever made the folder for all of it, or give the `drretail run` that made it once more."
RUN_AGAIN = "Delete the run's folder and give the `drretail run` that made it once more."
JUDGE_AGAIN = "`drretail score EXP` makes verdicts by code and scores.json anew; delete a judge's file to ask it again."
CHECKS = {
    "versions": ("fingerprints, versions, and what was frozen when the experiment was opened", ASK_FOR_ALL),
    "plan": ("every planned run is there, and nothing of a run that is not planned", ASK_FOR_ALL),
    "replay": ("each run follows from its journal, byte by byte", RUN_AGAIN),
    "tools": ("every tool result is what this world gives", RUN_AGAIN),
    "records": ("ledger, citations, picks, usage and hashes, counted again", RUN_AGAIN),
    "shown": ("every pick was shown by a tool", "Read the run's report before you trust its cart."),
    "verdicts": ("verdicts made again: by code, and by judges from their journals", JUDGE_AGAIN),
    "votes": ("every vote is about a report that is here", "Ask the person, or delete the line."),
    "scores": ("scores.json made again of the runs and verdicts", "`drretail score EXP` makes it anew."),
}
"""What each check holds, in the order in which they are made and printed, and what to do where it fails."""
MEND = "Mend or delete the file that it names, and give the command that made it."


class Mismatch(Record):
    """One thing that a check found wrong, or could not look at."""

    file: str
    """Below the experiment's folder."""
    reason: str
    """What is wrong, without a full stop."""
    advice: str
    """What to do next."""
    cause: str
    """What is wrong, without which run, call or verdict it is wrong with: equal causes are printed as one."""

    @property
    def line(self) -> str:
        """All of it in one line."""
        return f"{self.file}: {self.reason}. {self.advice}"


class CheckResult(Record):
    """One check over all files that it is about."""

    check: str
    """Its key, such as replay."""
    title: str
    """What it is about, for a reader."""
    checked: int
    """How many files it looked at."""
    failed: tuple[Mismatch, ...] = ()
    """What is wrong: file, reason, advice."""
    unchecked: tuple[Mismatch, ...] = ()
    """What could not be looked at."""

    @computed_field
    @property
    def state(self) -> CheckState:
        """A check that found nothing wrong, and could not look at everything, is not checkable."""
        return "fail" if self.failed else "not_checkable" if self.unchecked else "pass"

    def by_cause(self) -> list[list[Mismatch]]:
        """What failed, and then what could not be looked at, each by its cause."""
        groups: dict[tuple[bool, str], list[Mismatch]] = defaultdict(list)
        for is_open, mismatches in ((False, self.failed), (True, self.unchecked)):
            for mismatch in mismatches:
                groups[is_open, mismatch.cause].append(mismatch)
        return [*groups.values()]


class Verification(Document):
    """All checks of an experiment, in the order of ``CHECKS``."""

    experiment: str
    """The folder that was checked."""
    world_fingerprint: str | None = None
    """The world of the runs; None of imported reports."""
    checks: tuple[CheckResult, ...]
    """In the order in which they are made."""
    taken_at_word: tuple[str, ...] = ()
    """Language models whose answers nothing but journals tells, as systems and as judges."""

    @property
    def failures(self) -> tuple[Mismatch, ...]:
        """What is wrong, of all checks: file, reason, advice."""
        return tuple(mismatch for check in self.checks for mismatch in check.failed)

    @property
    def passes(self) -> bool:
        """True where nothing fails; what is not checkable fails nothing."""
        return not self.failures

    @property
    def is_complete(self) -> bool:
        """True where every check could be made on all that it is about."""
        return not any(check.unchecked for check in self.checks)


@dataclass(slots=True)
class Checklist:
    """Collects what checks find."""

    checked: Counter[str] = field(default_factory=Counter[str])
    failed: defaultdict[str, list[Mismatch]] = field(default_factory=lambda: defaultdict(list))
    unchecked: defaultdict[str, list[Mismatch]] = field(default_factory=lambda: defaultdict(list))
    taken_at_word: set[str] = field(default_factory=set[str])

    def fail(self, check: str, file: object, reason: str, advice: str = "", *, cause: str = "") -> None:
        """Notes what is wrong; without ``advice`` the check's, and without ``cause`` what stands before a colon."""
        self.failed[check].append(_mismatch(check, file, reason, advice, cause))

    def leave(self, check: str, file: object, reason: str, advice: str) -> None:
        """Notes what the check could not look at."""
        self.unchecked[check].append(_mismatch(check, file, reason, advice))

    @contextmanager
    def catching(self, check: str, file: object, copy: Path | None = None) -> Generator[None]:
        """Whatever is raised within fails the check: files of a folder that was edited may hold anything.

        ``copy`` is where a copy of the folder lies: its files are named by their places in the folder.
        """
        try:
            yield
        except CommandStopped:
            raise
        except Exception as problem:  # noqa: BLE001 — the boundary of somebody else's folder
            why = str(problem) if isinstance(problem, UserError) else describe_error(problem)
            why = why if copy is None else why.replace(f"{copy}/", "")
            self.fail(check, file, f"it can't be made again: {why}".rstrip("."), MEND)

    def compare(self, check: str, file: object, pairs: Mapping[str, tuple[object, object]], advice: str = "") -> None:
        """Fails once for the first thing, by its name, whose two values differ."""
        self.checked[check] += 1
        for name, (found, expected) in pairs.items():
            if found != expected:
                show = str if f"{found}{expected}".isascii() else ascii  # letters of two alphabets may look alike
                reason = f"{name} is {_short(found, show)}, and should be {_short(expected, show)}"
                self.fail(check, file, reason, advice, cause=name)
                break

    def expect_none(self, check: str, file: object, faults: Mapping[str, Sequence[object]]) -> None:
        """Fails once for the first kind of fault of which there is one, and names that one."""
        self.checked[check] += 1
        for kind, found in faults.items():
            if found:
                self.fail(check, file, f"{kind}: {_short(found[0])}")
                break

    def first_failure(self, experiment: Path, checks: Iterable[str] = CHECKS) -> str:
        """A sentence on what fails first, and how to see the rest; blank where nothing does."""
        found = (mismatch for check in checks for mismatch in self.failed.get(check, ()))
        return next((f"{each.line} `drretail verify {experiment}` tells the rest." for each in found), "")

    def results(self) -> tuple[CheckResult, ...]:
        return tuple(
            CheckResult(
                check=check,
                title=title,
                checked=self.checked[check],
                failed=tuple(self.failed.get(check, ())),
                unchecked=tuple(self.unchecked.get(check, ())),
            )
            for check, (title, _) in CHECKS.items()
        )


def differing(found: Mapping[str, object], expected: Mapping[str, object]) -> list[str]:
    """The names under which two documents hold other values."""
    return [name for name in {**found, **expected} if found.get(name) != expected.get(name)]


def _mismatch(check: str, file: object, reason: str, advice: str, cause: str = "") -> Mismatch:
    cause = cause or reason.partition(": ")[0]
    return Mismatch(file=str(file), reason=reason, advice=advice or CHECKS[check][1], cause=cause)


def _short(value: object, show: Callable[[object], str] = str) -> str:
    text = "nothing" if value is None or value == () or value == {} else show(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
