"""What every finding of the lab is; a file of ``exp/lab/``."""

from pydantic import Field

from drretail.records.base import Document, Record
from drretail.stats.intervals import Interval
from drretail.tables.figures import with_interval

MOST_SHOWN = 4
"""Systems, or pairs of raters, in a line."""


class LabFinding(Document):
    """EXP/lab/NAME.json: what the lab found out of an experiment, with its line beside the scores."""

    line: str = ""
    """One sentence or two."""
    rests_on: dict[str, str] = Field(default_factory=dict[str, str])
    """By folder of the experiment, what its content was; where it is another now, the finding is stale."""
    options: str = ""
    """Of the command that made it, those that name files, people or judges: it is made anew with them."""

    def summary(self) -> str:
        """What stands beside the scores; kinds of findings say it of themselves."""
        return ""


class Measured(Record):
    """A statistic with its 95 % interval; None where it is not defined."""

    value: float | None = None
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, interval: Interval) -> "Measured":
        return cls(value=interval.value, low=interval.low, high=interval.high)

    @property
    def in_words(self) -> str:
        """ "0.64 (.61–.67)"; a dash where it is not defined."""
        return with_interval(self.value, self.low, self.high)


def unanswered_in_words(failed: int, unasked: int) -> str:
    """ "3 judgements failed, 2 were never asked"; blank where every question has an answer."""
    parts = [f"{failed:,} judgement{'s' * (failed != 1)} failed"] if failed else []
    parts += [f"{unasked:,} {'was' if unasked == 1 else 'were'} never asked"] if unasked else []
    return ", ".join(parts)
