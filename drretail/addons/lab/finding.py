"""The base of every finding of the lab, which is a file in ``exp/lab/``."""

from pydantic import Field

from drretail.records.base import Document, Record
from drretail.records.tables.figures import with_interval
from drretail.stats.intervals import Interval

MOST_SHOWN = 4
"""The most systems, or pairs of raters, that one line names."""


class LabFinding(Document):
    """EXP/lab/NAME.json: what the lab found out about an experiment, with its line beside the scores."""

    line: str = ""
    """One or two sentences."""
    rests_on: dict[str, str] = Field(default_factory=dict[str, str])
    """The content hash of each folder that the finding rests on, by path; if one has changed, the finding is stale."""
    options: str = ""
    """The options of the command that name files, people or judges, for the command that makes the finding again."""

    def summary(self) -> str:
        """The line that stands beside the scores; each kind of finding writes its own."""
        return ""


class WithEnds(Record):
    """What has a 95 % interval; the ends are None if it has none."""

    low: float | None = None
    high: float | None = None


class Measured(WithEnds):
    """A statistic with its 95 % interval; the value is None if it is not defined."""

    value: float | None = None

    @classmethod
    def of(cls, interval: Interval) -> "Measured":
        return cls(value=interval.value, low=interval.low, high=interval.high)

    @property
    def in_words(self) -> str:
        """ "0.64 (.61–.67)"; a dash if it is not defined."""
        return with_interval(self.value, self.low, self.high)


def unanswered_in_words(failed: int, unasked: int) -> str:
    """ "3 judgements failed, 2 were never asked"; blank if every question has an answer."""
    parts = [f"{failed:,} judgement{'s' * (failed != 1)} failed"] if failed else []
    parts += [f"{unasked:,} {'was' if unasked == 1 else 'were'} never asked"] if unasked else []
    return ", ".join(parts)
