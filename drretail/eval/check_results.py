"""What ``verify`` says of an experiment's folder: each check passes, fails, or can't be made."""

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import computed_field

from drretail.errors import CommandStopped, UserError, describe_error
from drretail.records.base import Document, Record

CheckState = Literal["pass", "fail", "not_checkable"]
CHECKS = {
    "versions": "fingerprints, versions, and what was frozen when the experiment was opened",
    "plan": "every planned run is there, and nothing of a run that is not planned",
    "replay": "each run follows from its journal, byte by byte",
    "tools": "every tool result is what this world gives",
    "records": "ledger, citations, picks, usage and hashes, counted again",
    "shown": "every pick was shown by a tool",
    "verdicts": "verdicts made again: by code, and by judges from their journals",
    "votes": "every vote is about a report that is here",
    "scores": "scores.json made again of the runs and verdicts",
}
"""In the order in which they are made and told."""
RUN_AGAIN = "Delete the run's folder and give the `drretail run` that made it once more."
MEND = "Mend or delete the file that it names, and give the command that made it."


class Mismatch(Record):
    """One thing that a check found wrong, or could not look at."""

    file: str
    """Below the experiment's folder."""
    reason: str
    advice: str
    """What to do next."""

    @property
    def line(self) -> str:
        return f"{self.file}: {self.reason}. {self.advice}"


class CheckResult(Record):
    """One check over all files that it is about."""

    check: str
    title: str
    checked: int
    """How many files it looked at."""
    failed: tuple[Mismatch, ...] = ()
    unchecked: tuple[Mismatch, ...] = ()
    """What could not be looked at."""

    @computed_field
    @property
    def state(self) -> CheckState:
        """A check that found nothing wrong, and could not look at everything, is not checkable."""
        return "fail" if self.failed else "not_checkable" if self.unchecked else "pass"


class Verification(Document):
    """All checks of an experiment, in the order of ``CHECKS``."""

    experiment: str
    world_fingerprint: str | None = None
    checks: tuple[CheckResult, ...]
    taken_at_word: tuple[str, ...] = ()
    """Language models whose answers nothing but journals tells, as systems and as judges."""

    @property
    def failures(self) -> tuple[Mismatch, ...]:
        return tuple(mismatch for check in self.checks for mismatch in check.failed)

    @property
    def passes(self) -> bool:
        """True where nothing fails; what is not checkable fails nothing."""
        return not self.failures


@dataclass(slots=True)
class Checklist:
    """Collects what checks find."""

    checked: Counter[str] = field(default_factory=Counter[str])
    failed: dict[str, list[Mismatch]] = field(default_factory=dict[str, list[Mismatch]])
    unchecked: dict[str, list[Mismatch]] = field(default_factory=dict[str, list[Mismatch]])
    taken_at_word: set[str] = field(default_factory=set[str])

    def fail(self, check: str, file: object, reason: str, advice: str) -> None:
        self.failed.setdefault(check, []).append(Mismatch(file=str(file), reason=reason, advice=advice))

    def leave(self, check: str, file: object, reason: str, advice: str) -> None:
        """Notes what the check could not look at."""
        self.unchecked.setdefault(check, []).append(Mismatch(file=str(file), reason=reason, advice=advice))

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

    def compare(self, check: str, file: object, pairs: Mapping[str, tuple[object, object]], advice: str) -> None:
        """Fails once for the first thing, by its name, whose two values differ."""
        self.checked[check] += 1
        different = next((name for name, (found, expected) in pairs.items() if found != expected), None)
        if different is not None:
            found, expected = (_short(value) for value in pairs[different])
            self.fail(check, file, f"{different} is {found}, and should be {expected}", advice)

    def expect_none(self, check: str, file: object, faults: Mapping[str, Sequence[object]], advice: str) -> None:
        """Fails once for the first kind of fault of which there is one, and names that one."""
        self.checked[check] += 1
        found = next(((name, each[0]) for name, each in faults.items() if each), None)
        if found is not None:
            self.fail(check, file, f"{found[0]}: {_short(found[1])}", advice)

    def results(self) -> tuple[CheckResult, ...]:
        return tuple(
            CheckResult(
                check=check,
                title=title,
                checked=self.checked[check],
                failed=tuple(self.failed.get(check, ())),
                unchecked=tuple(self.unchecked.get(check, ())),
            )
            for check, title in CHECKS.items()
        )


def _short(value: object) -> str:
    text = "nothing" if value is None or value == () or value == {} else str(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
