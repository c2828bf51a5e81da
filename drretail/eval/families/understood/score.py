"""One verdict and value for each measure, from the run's wish, the query's and the shop's catalog."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from drretail.eval.families.understood.two_wishes import Share, compared
from drretail.eval.family import Family, by_code, by_variant
from drretail.eval.judging.question import CodeVerdict
from drretail.eval.judging.subject import Subject
from drretail.experiment import read_runs
from drretail.records.query import NOT_TYPED
from drretail.records.score import MetricDescription
from drretail.records.scoreboard import BoardColumn

VARIANTS = ("understood", "wants", "limits")
NOT_DECLARED = "the run does not say how it understood the question"
NO_WORLD = "the world is not at hand: name it with --world"


def measure(subject: Subject) -> Iterator[tuple[str, CodeVerdict]]:
    """What every measure comes to; what was measured stays where the world is not at hand this time."""
    for variant, share in _measured(subject).items():
        yield variant, CodeVerdict.measured(share.value, share.reason, keeps_existing=share.reason == NO_WORLD)


def lacks_understanding(experiment: Path) -> str:
    """Why there is nothing to measure in an experiment; empty where a run says how it understood its question."""
    if any(run.understood is not None for run in read_runs(experiment)):
        return ""
    return "holds no run that says how it understood its question"


def _measured(subject: Subject) -> Mapping[str, Share]:
    understood = None if subject.run is None else subject.run.understood
    wish = subject.query.wish
    if understood is not None and wish is not None and subject.offers is not None:
        return compared(wish, understood, subject.offers)
    why = NOT_DECLARED if understood is None else NOT_TYPED if wish is None else NO_WORLD
    return dict.fromkeys(VARIANTS, Share(None, why))


DESCRIPTION = MetricDescription(
    title="Understood",
    meaning="How the agent says that it understood the question, beside what the query's maker typed.",
    meanings={
        "understood": "the mean of wants and limits",
        "wants": "share of the query's wants for which much the same products would do",
        "limits": "share of budget, brands and quantities that are equal",
    },
    scoreboard=(BoardColumn(variant="understood", meaning="share of wants and limits that the agent understood"),),
)
METRIC = Family(
    "understood",
    1,
    by_code("understood", measure),
    by_variant(VARIANTS),
    VARIANTS,
    DESCRIPTION,
    lacks=lacks_understanding,
    needs_judge=False,
)
