"""One question to a judge, the verdicts that its answer becomes, and their files: appended at once, one for each run,
metric and judge.
"""

from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import AfterValidator, ValidationError

from drretail.errors import UserError
from drretail.experiments.journal import Effect, read_effects
from drretail.experiments.packs import JOURNAL, lines_of, packed_names, unpack
from drretail.files import LineAppender, check_format, read_jsonl
from drretail.llm.prompt import Prompt
from drretail.llm.structured import Check
from drretail.records.base import FORMAT, Record, file_name
from drretail.records.score import Order, SourceRef, Verdict, VerdictState

T = TypeVar("T", bound=Record)
S = TypeVar("S")
LEFT_OUT = "the judge left it out"


def _not_blank(words: str) -> str:
    if not words.strip():
        raise ValueError("it has to say something")
    return words


REASON = AfterValidator(_not_blank)
"""Marks a field of an answer as a reason, which may not be blank."""


@dataclass(frozen=True, slots=True)
class JudgeAnswer(Generic[T]):
    """A judge's answer, or why there is none."""

    answer: T | None
    prompt_hash: str
    error: str | None = None


class Ruling(NamedTuple):
    """An answer's ruling on one item: the value of its verdict, and the reason."""

    value: Any
    reason: str = ""
    quote: str = ""
    more_quotes: Sequence[str] = ()
    notes: Sequence[str] = ()
    error: str = ""
    """Why the item counts as failed, although the answer can be read."""


class CodeVerdict(NamedTuple):
    """A verdict that code finds, without a judge."""

    state: VerdictState
    value: Any = None
    reason: str = ""
    notes: tuple[str, ...] = ()
    keeps_existing: bool = False
    """True if an existing verdict is to stay, since it was made with more at hand."""

    @classmethod
    def measured(cls, value: Any, reason: str = "", notes: tuple[str, ...] = (), **fields: bool) -> "CodeVerdict":
        """A measure's verdict: scored with a value, else na."""
        return cls("na" if value is None else "scored", value, reason, notes, **fields)


NO_WORLD = "the world is not at hand: name it with --world"


def still_to_ask(parts: Iterable[Sequence[S]], is_missing: Callable[[S], bool]) -> Iterator[list[S]]:
    """The missing items of each part that has any.

    Form the parts from all items: if they were formed from the missing ones, judging that was cut would ask other
    questions than before, which no journal answers.
    """
    for part in parts:
        if left := [item for item in part if is_missing(item)]:
            yield left


@dataclass(frozen=True)
class JudgeQuestion(Generic[T]):
    """A question about one item, or about several that are asked about together."""

    stage: str
    item: str
    """Names the question in the journal; of several items, the first."""
    prompt: Prompt
    values: Mapping[str, str] | Callable[[], Mapping[str, str]]
    """The prompt's values; a function is called only if the question is asked."""
    answer: type[T]
    read: Callable[[T], Ruling | Mapping[str, Ruling]]
    """The ruling on the item, or rulings by item; an item without one is failed."""
    check: Check[T] | None = None
    """What is wrong with the answer, in words for the judge; None if nothing is."""
    items: tuple[str, ...] = ()
    """All items that it is about; empty for ``item`` alone."""
    order: Order | None = None
    """Whose report is read first, if two are compared."""
    purpose: str = ""
    """Sets how long the answer may be, if that is not the default."""
    begins_with: str = ""
    """A name for the beginning of its text. The first question of a name is asked alone, and the others read the
    beginning from the provider's cache. Questions without a name do not wait.
    """
    sources: Sequence[SourceRef] = ()
    """What the answer rests on, besides the report."""
    notes: Sequence[str] = ()
    """Recorded with every scored or failed verdict."""

    @property
    def about(self) -> tuple[str, ...]:
        return self.items or (self.item,)

    def rulings(self, answer: T) -> Mapping[str, Ruling]:
        """The rulings by item; items that the answer leaves out are missing."""
        read = self.read(answer)
        return {self.item: read} if isinstance(read, Ruling) else read


_OURS = f'"format":{FORMAT},'
"""Part of every line that we write."""
_MENDED = "Delete that line, or the file: score then asks again for what is missing."


class VerdictFile:
    """The verdicts of one judge on one run in one metric; opening it drops a cut last line.

    Reading does not make a file; the first ``append`` does.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines: dict[tuple[str, ...], list[Verdict]] = defaultdict(list)
        self._appender: LineAppender | None = None
        self._waiting: list[str] | None = None
        """Lines to be written together."""
        for verdict in _read(path):
            self._lines[verdict.key].append(verdict)

    def append(self, verdict: Verdict) -> None:
        """Appends a verdict, which survives the process once this returns."""
        self._lines[verdict.key].append(verdict)
        if self._waiting is None:
            self._write(verdict.as_line())
        else:
            self._waiting.append(verdict.as_line())

    @contextmanager
    def at_once(self) -> Generator[None]:
        """Writes all that is appended in the block in one piece: a kill keeps all of one answer, or nothing.

        With half an answer, the rest would be asked again, and paid, as a second attempt.
        """
        self._waiting = []
        try:
            yield
        finally:
            lines, self._waiting = self._waiting, None
            if lines:
                self._write("\n".join(lines))

    def _write(self, lines: str) -> None:
        if self._appender is None:
            unpack(self.path)
            self._appender = LineAppender(self.path)
        self._appender.append(lines)

    def last(self, key: tuple[str, ...]) -> Verdict | None:
        """The last verdict of a key, stale or not, or None."""
        lines = self._lines.get(key)
        return lines[-1] if lines else None

    def lasts(self) -> list[Verdict]:
        """The last verdict of every key, stale ones too, in the order in which the keys came."""
        return [lines[-1] for lines in self._lines.values()]

    def living(self, report_sha: str, prompt_hashes: frozenset[str]) -> list[Verdict]:
        """The last verdict of every key that is about this report and was asked by today's prompts."""
        return [v for v in self.lasts() if v.report_sha == report_sha and v.prompt_hash in prompt_hashes]

    def close(self) -> None:
        if self._appender is not None:
            self._appender.close()


def _read(path: Path) -> list[Verdict]:
    """All verdicts of a file. Raises UserError, which says what to do, for any other line."""
    lines = [line for line in lines_of(path) if line]
    with suppress(ValidationError):  # the slow path below says where
        if all(_OURS in line for line in lines):  # fast path for our own lines, in a third of the time
            return [Verdict.model_validate_json(line) for line in lines]
    verdicts: list[Verdict] = []
    try:
        for line in read_jsonl(path, lines):
            check_format(line, path)
            verdicts.append(Verdict.model_validate(line))
    except ValidationError as problem:
        reason = problem.errors()[0]["msg"]
        raise UserError(f"{path} holds a verdict that this version cannot read: {reason}. {_MENDED}") from problem
    except UserError as problem:
        raise UserError(f"{problem} {_MENDED}") from problem
    return verdicts


def verdict_files(experiment: Path) -> list[Path]:
    """The files of all verdicts, packed or not, sorted; not the journals beside them."""
    return [path for path in _judged_files(experiment) if not path.name.endswith(JOURNAL)]


def judge_journals(experiment: Path) -> list[Path]:
    """The journals of all judges, packed or not, sorted."""
    return [path for path in _judged_files(experiment) if path.name.endswith(JOURNAL)]


def _judged_files(experiment: Path) -> list[Path]:
    folders = sorted(path for path in (experiment / "verdicts").glob("*/*/*") if path.is_dir())
    return [folder / name for folder in folders for name in packed_names(folder)]


def read_journal_of(path: Path) -> list[Effect]:
    """The effects of a judge's journal, packed or not; none if there is none."""
    return read_effects(path, lines_of(path))


def judges_in(experiment: Path, metric: str) -> list[str]:
    """The folders of the judges with verdicts in a metric, sorted."""
    return sorted(folder.name for folder in (experiment / "verdicts" / metric).glob("*/"))


def judged_in(experiment: Path) -> list[str]:
    """The names of the metrics with verdicts."""
    return judges_in(experiment, "")


def verdict_path(experiment: Path, metric: str, judge_slug: str, label: str, run: str) -> Path:
    """The file of a judge's verdicts on one run; ``run`` is "<query_id>-r<repeat>"."""
    return experiment / "verdicts" / metric / judge_slug / file_name(label) / f"{file_name(run)}.jsonl"
