"""The results of ``verify``: each check passes, fails, waits for something to be made, or can't be made."""

from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import Field, computed_field

from drretail.errors import CommandStopped, UserError, describe_error
from drretail.files import ANEW
from drretail.records.base import Document, Record
from drretail.records.run import System
from drretail.records.tables.figures import counted
from drretail.records.tables.result import Prose, Result, prose

CheckState = Literal["pass", "fail", "unmade", "not_checkable"]
ASK_FOR_ALL = "Ask whoever made the folder for all of it, or give the `drretail run` that made it once more."
RUN_AGAIN = "Delete the run's folder and give the `drretail run` that made it once more."
GO_ON = "The `drretail run` that was begun makes it, or the shard that has it is copied here."
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
"""The checks in the order in which they are made and printed: what each covers, and what to do if it fails."""
_STATES = {"pass": "pass", "fail": "FAIL", "unmade": "not made yet", "not_checkable": "not checkable"}
RESTORE = "Restore it, and verify again."
MEND = "Restore, mend or delete the file that it names, and give the command that made it."


class Mismatch(Record):
    """One thing that a check found wrong, or could not look at."""

    file: str
    """The path within the experiment's folder."""
    reason: str
    """What is wrong, without a full stop."""
    advice: str
    """What to do next."""
    cause: str
    """The kind of fault, without the run, call or verdict; equal causes are printed as one."""

    @property
    def line(self) -> str:
        """The mismatch in one line."""
        return f"{self.file}: {self.reason}. {self.advice}"


class CheckResult(Record):
    """One check over all files that it is about."""

    check: str
    """Its key, such as replay."""
    title: str
    """What it covers, for a reader."""
    checked: int
    """The number of files checked."""
    failed: tuple[Mismatch, ...] = ()
    """What is wrong: file, reason, advice."""
    unmade: tuple[Mismatch, ...] = ()
    """What is not made yet, such as verdicts on a new run, or older than what it is made of."""
    unchecked: tuple[Mismatch, ...] = ()
    """What could not be checked."""

    @computed_field
    @property
    def state(self) -> CheckState:
        """The gravest: "fail", "unmade" if nothing is wrong but something is not made yet, "not_checkable"."""
        return "fail" if self.failed else "unmade" if self.unmade else "not_checkable" if self.unchecked else "pass"

    def by_cause(self) -> list[tuple[CheckState, list[Mismatch]]]:
        """Failures, then unmade and unchecked things, each grouped by cause."""
        groups: dict[tuple[CheckState, str], list[Mismatch]] = defaultdict(list)
        kinds: dict[CheckState, tuple[Mismatch, ...]] = {}
        kinds |= {"fail": self.failed, "unmade": self.unmade, "not_checkable": self.unchecked}
        for kind, mismatches in kinds.items():
            for mismatch in mismatches:
                groups[kind, mismatch.cause].append(mismatch)
        return [(kind, mismatches) for (kind, _), mismatches in groups.items()]


class Verification(Document):
    """All checks of an experiment, in the order of ``CHECKS``."""

    experiment: str
    """The folder that was checked."""
    world_fingerprint: str | None = None
    """The world of the runs; None for imported reports."""
    checks: tuple[CheckResult, ...]
    """In the order in which they are made."""
    from_journals: tuple[str, ...] = ()
    """Language models, as systems and judges, whose work was made again from the answers in their journals."""
    taken_at_word: tuple[str, ...] = ()
    """Those whose work, or a part of it, was not made again."""
    strict: bool = Field(default=False, exclude=True)
    """True if the command also fails where something can't be checked."""
    details: bool = Field(default=False, exclude=True)
    """True if the command prints every finding, and not one for each cause."""

    @property
    def failures(self) -> tuple[Mismatch, ...]:
        """Everything wrong, of all checks."""
        return tuple(mismatch for check in self.checks for mismatch in check.failed)

    @property
    def passes(self) -> bool:
        """True if no check fails; what is not made yet, or can't be checked, is no failure."""
        return not self.failures

    @property
    def is_complete(self) -> bool:
        """True if every check could be made on everything that it covers."""
        return not any(check.unmade or check.unchecked for check in self.checks)

    def result(self) -> Result["Verification"]:
        """Each check with its findings, then the sum."""
        document = self.model_dump(mode="json", exclude_none=True) | {"passes": self.passes}
        left = len(self.failures) or (self.strict and not self.is_complete)
        parts: list[str] = []
        for check in self.checks:
            by_cause = check.by_cause()
            state = _STATES[check.state] if check.checked or by_cause else "–"
            parts.append(
                Prose(f"{state:14} {check.title} ({f'{check.checked:,}' if check.checked else 'there are none'})")
            )
            for kind, mismatches in by_cause:
                shown = mismatches if self.details else mismatches[:1]
                beside = "" if kind == check.state else f"{_STATES[kind]}: "
                parts += prose(*(f"{'':15}{beside}{mismatch.line}" for mismatch in shown))
                if more := len(mismatches) - len(shown):
                    parts.append(Prose(f"{'':15}and {more:,} more like it"))
        parts += prose("", *self._sentences())
        return Result(self, document, parts, left=left)

    def _sentences(self) -> Iterator[str]:
        unmade = sum(len(check.unmade) for check in self.checks)
        unchecked = sum(bool(check.unchecked) for check in self.checks)
        is_short = not self.details and any(len(each) > 1 for check in self.checks for _, each in check.by_cause())
        sentences = [
            counted(len(self.failures), "thing fails", "things fail") if self.failures else "Nothing fails",
            f"{counted(unmade, 'thing is', 'things are')} not made yet" if unmade else "",
            f"{counted(unchecked, 'check')} could not be made everywhere" if unchecked else "",
            f"World {self.world_fingerprint[:12]}" if self.world_fingerprint is not None else "",
            "--details names each finding" if is_short else "",
        ]
        yield f"{'. '.join(filter(None, sentences))}."
        if self.from_journals:
            yield f"Made again from the answers in their journals: {', '.join(self.from_journals)}."
        if self.taken_at_word:
            yield f"Trusted without proof, since it was not made again: {', '.join(self.taken_at_word)}."


@dataclass(slots=True)
class Checklist:
    """Collects the findings of checks."""

    checked: Counter[str] = field(default_factory=Counter[str])
    failed: defaultdict[str, list[Mismatch]] = field(default_factory=lambda: defaultdict(list))
    unmade: defaultdict[str, list[Mismatch]] = field(default_factory=lambda: defaultdict(list))
    unchecked: defaultdict[str, list[Mismatch]] = field(default_factory=lambda: defaultdict(list))
    from_journals: set[str] = field(default_factory=set[str])
    taken_at_word: set[str] = field(default_factory=set[str])

    def fail(self, check: str, file: object, reason: str, advice: str = "", *, cause: str = "") -> None:
        """Records a fault. ``advice`` defaults to the check's, ``cause`` to the reason up to its colon."""
        self.failed[check].append(_mismatch(check, file, reason, advice, cause))

    def wait(self, check: str, file: object, reason: str, advice: str) -> None:
        """Records what is not made yet, or is older than what it is made of."""
        self.unmade[check].append(_mismatch(check, file, reason, advice))

    def miss(self, check: str, file: object, reason: str, advice: str = "", *, until: str) -> None:
        """Records what is missing or stale: not made yet as long as the check ``until`` waits for anything, or a fault.

        ``advice`` defaults to that check's.
        """
        (self.wait if self.unmade[until] else self.fail)(check, file, reason, advice or CHECKS[until][1])

    def leave(self, check: str, file: object, reason: str, advice: str) -> None:
        """Records what the check could not look at."""
        self.unchecked[check].append(_mismatch(check, file, reason, advice))

    def believe(self, system: System, *, from_journals: bool = False) -> None:
        """Notes the language models of a system whose runs were made again from journals, or were not."""
        models = {model.spec for model in system.models.values() if model.kind != "rule_based"}
        (self.from_journals if from_journals else self.taken_at_word).update(models)

    @contextmanager
    def catching(self, check: str, file: object, copy: Path | None = None) -> Generator[None]:
        """Turns any exception in the block into a failure: files of an edited folder may hold anything.

        ``copy`` is the folder's copy, if one is checked; messages name files by their places in the original.
        """
        try:
            yield
        except CommandStopped:
            raise
        except Exception as problem:  # noqa: BLE001 — the boundary of somebody else's folder
            why = str(problem) if isinstance(problem, UserError) else describe_error(problem)
            why = why if copy is None else why.replace(f"{copy}/", "")
            self.fail(check, file, f"it can't be made again: {why.removesuffix(ANEW)}".rstrip("."), MEND)

    def compare(self, check: str, file: object, pairs: Mapping[str, tuple[object, object]], advice: str = "") -> None:
        """Fails once, for the first named pair whose values differ."""
        self.checked[check] += 1
        for name, (actual, expected) in pairs.items():
            if actual != expected:
                show = str if f"{actual}{expected}".isascii() else ascii  # letters of two alphabets may look alike
                reason = f"{name} is {_short(actual, show)}, and should be {_short(expected, show)}"
                self.fail(check, file, reason, advice, cause=name)
                break

    def expect_none(self, check: str, file: object, faults: Mapping[str, Sequence[object]]) -> None:
        """Fails once, for the first kind of fault that has any."""
        self.checked[check] += 1
        for kind, faults_of_kind in faults.items():
            if faults_of_kind:
                self.fail(check, file, f"{kind}: {_short(faults_of_kind[0])}")
                break

    def first_failure(self, experiment: Path, checks: Iterable[str] = CHECKS) -> str:
        """A sentence on the first failure and how to see the rest; blank without failures."""
        failures = (mismatch for check in checks for mismatch in self.failed.get(check, ()))
        return next((f"{each.line} `drretail verify {experiment}` tells the rest." for each in failures), "")

    def results(self) -> tuple[CheckResult, ...]:
        return tuple(
            CheckResult(
                check=check,
                title=title,
                checked=self.checked[check],
                failed=tuple(self.failed.get(check, ())),
                unmade=tuple(self.unmade.get(check, ())),
                unchecked=tuple(self.unchecked.get(check, ())),
            )
            for check, (title, _) in CHECKS.items()
        )


def differing(actual: Mapping[str, object], expected: Mapping[str, object]) -> list[str]:
    """The names under which two documents have different values."""
    return [name for name in {**actual, **expected} if actual.get(name) != expected.get(name)]


def _mismatch(check: str, file: object, reason: str, advice: str, cause: str = "") -> Mismatch:
    cause = cause or reason.partition(": ")[0]
    return Mismatch(file=str(file), reason=reason, advice=advice or CHECKS[check][1], cause=cause)


def _short(value: object, show: Callable[[object], str] = str) -> str:
    text = "nothing" if value is None or value == () or value == {} else show(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
