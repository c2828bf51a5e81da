"""Verdict files: appended at once, one for each run, metric and judge."""

from collections import defaultdict
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import ValidationError

from drretail.errors import UserError
from drretail.files import LineAppender, check_format, read_jsonl, read_lines
from drretail.grounding.verify.checks import PAGE_AGE
from drretail.records.base import FORMAT, file_name
from drretail.records.score import Verdict

_OURS = f'"format":{FORMAT},'
"""Part of every line that we write."""
OLDER_THAN = "page_age:"
"""The beginning of a note that names the age of old pages, if it is not the usual one."""
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
        if path.exists():
            for verdict in _read(path):
                self._lines[verdict.key].append(verdict)

    def append(self, verdict: Verdict) -> None:
        """Appends a verdict, which is on disk when this returns."""
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
            self._appender = LineAppender(self.path)
        self._appender.append(lines)

    def last(self, key: tuple[str, ...]) -> Verdict | None:
        """The last verdict of a key, stale or not, or None."""
        lines = self._lines.get(key)
        return lines[-1] if lines else None

    def lasts(self) -> list[Verdict]:
        """The last verdict of every key, stale ones too, in the order in which the keys came."""
        return [lines[-1] for lines in self._lines.values()]

    def before_last(self, key: tuple[str, ...]) -> list[Verdict]:
        """The verdicts of a key that its last one replaced."""
        return self._lines.get(key, [])[:-1]

    def living(self, report_sha: str, prompt_hashes: frozenset[str]) -> list[Verdict]:
        """The last verdict of every key that is about this report and was asked by today's prompts."""
        return [v for v in self.lasts() if v.report_sha == report_sha and v.prompt_hash in prompt_hashes]

    def close(self) -> None:
        if self._appender is not None:
            self._appender.close()


def _read(path: Path) -> list[Verdict]:
    """All verdicts of a file. Raises UserError, which says what to do, for any other line."""
    with suppress(ValidationError):  # the slow path below says where, and skips a cut last line
        lines = [line for line in read_lines(path) if line]
        if all(_OURS in line for line in lines):  # fast path for our own lines, in a third of the time
            return [Verdict.model_validate_json(line) for line in lines]
    verdicts: list[Verdict] = []
    try:
        for line in read_jsonl(path):
            check_format(line, path)
            verdicts.append(Verdict.model_validate(line))
    except ValidationError as problem:
        reason = problem.errors()[0]["msg"]
        raise UserError(f"{path} holds a verdict that this version cannot read: {reason}. {_MENDED}") from problem
    except UserError as problem:
        raise UserError(f"{problem} {_MENDED}") from problem
    return verdicts


def verdict_files(experiment: Path) -> list[Path]:
    """The files of all verdicts, sorted; not the journals beside them."""
    files = sorted((experiment / "verdicts").glob("*/*/*/*.jsonl"))
    return [path for path in files if not path.name.endswith(".journal.jsonl")]


def judges_in(experiment: Path, metric: str) -> list[str]:
    """The folders of the judges with verdicts in a metric, sorted."""
    return sorted(folder.name for folder in (experiment / "verdicts" / metric).glob("*/"))


def judged_in(experiment: Path) -> list[str]:
    """The names of the metrics with verdicts."""
    return judges_in(experiment, "")


def verdict_path(experiment: Path, metric: str, judge_slug: str, label: str, run: str) -> Path:
    """The file of a judge's verdicts on one run; ``run`` is "<query_id>-r<repeat>"."""
    return experiment / "verdicts" / metric / judge_slug / file_name(label) / f"{file_name(run)}.jsonl"


def page_age_of(verdicts: Iterable[Verdict]) -> float:
    """The age in years from which pages were old to the checks."""
    notes = (note for verdict in verdicts for note in verdict.notes if note.startswith(OLDER_THAN))
    return float(next(notes, f"{OLDER_THAN}{PAGE_AGE}").removeprefix(OLDER_THAN))
