"""What every format is read into: tasks, and systems' reports on them."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from drretail.errors import UserError
from drretail.grounding.text.untrusted import visible
from drretail.records.criteria import GoldPart, PartOfGold
from drretail.records.evidence import Evidence
from drretail.records.run import Step, Turn, Usage
from drretail.records.wish import Wish

LONGEST_REPORT = 1_000_000
"""The most characters of a report: as many as a book has, and ten times those of the longest report in these
benchmarks.
"""


@dataclass(frozen=True, slots=True)
class ForeignTask:
    """A question as a file has it."""

    task_id: str
    text: str
    guessed: bool = False
    """True if the text is only the report's own heading."""
    persona: str | None = None
    """Who asks, in the file's words."""
    user_id: str | None = None
    """Who asked, by the id in a log."""
    context: str | None = None
    kind: str | None = None
    wish: Wish | None = None
    """What it wants bought, if the format says it. Most formats don't, and then somebody has to type it."""
    checklist: tuple[str, ...] = ()
    """What the file's own checklist demands of an answer."""
    files: tuple[str, ...] = ()
    """Names of files that belong to the task."""
    gold: Mapping[GoldPart, PartOfGold] | None = None
    """What the file knows beforehand about a good answer."""


@dataclass(frozen=True, slots=True)
class Trace:
    """How a report was made, according to a log."""

    steps: tuple[Step, ...] = ()
    results: Mapping[str, str] = field(default_factory=dict[str, str])
    """Tools' results by their sha256."""
    evidence: tuple[Evidence, ...] = ()
    usage: Usage = field(default_factory=Usage)
    unread_arguments: int = 0
    """Calls whose arguments are not a JSON object."""


@dataclass(frozen=True, slots=True)
class ForeignReport:
    """A system's report on a task; the text is empty if it wrote nothing."""

    system: str
    """The name in files and folders."""
    task_id: str
    text: str
    where: str
    """File and line, for messages."""
    trace: Trace = field(default_factory=Trace)
    turns: tuple[Turn, ...] = ()
    """The turns of a conversation of several, by their places in the text."""


@dataclass(slots=True)
class Material:
    """The tasks and reports of an import, each once."""

    tasks: dict[str, ForeignTask] = field(default_factory=dict[str, ForeignTask])
    """By id."""
    reports: dict[tuple[str, str], ForeignReport] = field(default_factory=dict[tuple[str, str], ForeignReport])
    """By system and task."""
    personas: int = 0
    """Number of users' personas, whether a task names them or not."""
    repeated: int = 0
    """Rows that repeat another row."""
    left_out: list[str] = field(default_factory=list[str])
    """Empty files and conversations without a question."""
    unread_roles: Counter[str] = field(default_factory=Counter[str])
    """Messages of a log by role, if the role is not one that is read."""

    def add_task(self, task: ForeignTask, where: str) -> None:
        """Adds a task. Raises UserError if its id already belongs to another question."""
        held = self.tasks.setdefault(task.task_id, task)
        if held.guessed and not task.guessed:
            self.tasks[task.task_id] = task
        elif held.text != task.text and not task.guessed:
            raise UserError(f"{where}: the task {task.task_id!r} stands there with another question before: keep one.")

    def add_report(self, report: ForeignReport) -> None:
        """Adds a report. Raises UserError for another report of the same system on the task, and for one of more than
        ``LONGEST_REPORT`` characters.
        """
        if len(report.text) > LONGEST_REPORT:
            raise UserError(
                f"{report.where}: a report has {len(report.text):,} characters; at most {LONGEST_REPORT:,} are taken."
            )
        report = replace(report, text=visible(report.text))
        held = self.reports.setdefault((report.system, report.task_id), report)
        if held is report:
            return
        if held.text != report.text:
            raise UserError(
                f"{report.where}: the task {report.task_id!r} has another report by {report.system} in {held.where}: "
                "keep one."
            )
        self.repeated += 1

    @property
    def is_empty(self) -> bool:
        return not (self.tasks or self.reports or self.personas)

    def systems(self) -> list[str]:
        return sorted({system for system, _ in self.reports})

    def renamed(self, system: str) -> "Material":
        """The same material with the one system's reports under this name. Raises UserError if there are several
        systems.
        """
        if len(self.systems()) > 1:
            raise UserError(
                f"There are reports of {len(self.systems())} systems ({', '.join(self.systems()[:5])}), and --system "
                "names one: import their files one by one."
            )
        reports = {(system, report.task_id): replace(report, system=system) for report in self.reports.values()}
        return replace(self, reports=reports)


def checklist_of(texts: Iterator[Any]) -> tuple[str, ...]:
    """The distinct texts that say something, each as one item."""
    items = (" ".join(text.split()) for text in texts if isinstance(text, str))
    return tuple(item for item in dict.fromkeys(items) if item and item.casefold() != "none")
