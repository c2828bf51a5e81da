"""The options of the commands of ``lab``, one record for each."""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated

from drretail.api.option import Option
from drretail.api.options import research, shared

Ratings = Annotated[shared.Files, Option("A file of ratings.", metavar="CSV", type=list[Path])]
OfJudge = Annotated[
    str | None, Option("The judge whose verdicts to use, if there are several.", metavar="PROVIDER:MODEL")
]


@dataclass(frozen=True, slots=True)
class AgreeOptions:
    """Measures how far people and judges agree.

    Answers come from `drretail vote`, a filled sheet of `lab sample`, or a CSV with the columns item, rater and value.
    """

    experiment: shared.SomeExperiment = None
    _: KW_ONLY
    ratings: Ratings = ()
    judges: Annotated[shared.Texts, Option("The raters that are judges.", metavar="A,B")] = ()


@dataclass(frozen=True, slots=True)
class CorrectOptions:
    """Corrects FP and win rates by people's labels.

    Labels come from `drretail vote` and --labels: at least 20 per system, or 20 votes per pair.
    """

    experiment: shared.Experiment
    _: KW_ONLY
    labels: Annotated[shared.Files, Option("A filled sheet of `lab sample`.", metavar="CSV", type=list[Path])] = ()
    judge: OfJudge = None


@dataclass(frozen=True, slots=True)
class SampleOptions:
    """Draws claims for people to label.

    People label them blind, in `drretail vote` or in a sheet (EXP/lab/sample.csv). A larger N adds claims.
    """

    experiment: shared.Experiment
    _: KW_ONLY
    n: Annotated[int, Option("The number of claims.", min=1)] = 100
    to: Annotated[
        str | Path | None, Option("The sheet for the labels.", metavar="CSV", default="EXP/lab/sample.csv")
    ] = None
    seed: Annotated[str | None, Option("The random seed.", metavar="SEED", default="the experiment's")] = None


@dataclass(frozen=True, slots=True)
class CardOptions:
    """Measures how often a judge agrees with people's labels of claims.

    Files: AttributionBench or WiCE as JSON lines, or a CSV with claim, source, label. `drretail score`
    shows the result (EXP/lab/cards). Exit code 3: a judge gave no usable answer.
    """

    labels: Annotated[
        str | Path | Iterable[str | Path],
        Option("Claims with sources and people's labels.", metavar="FILE", type=list[Path]),
    ]
    to: Annotated[str | Path, Option("The experiment that shows the result.", metavar="EXP")]
    judge: shared.Judge = ()
    _: KW_ONLY
    n: Annotated[int, Option("The number of claims per file; 0 takes all.", min=0)] = 200
    seed: shared.Seed = "42"
    max_dollars: shared.MaxDollars = None
    base_url: research.BaseUrl = ()
    max_tokens: shared.MaxTokens = None
    retry: shared.RetryFailed = None
    model_profile: shared.ModelProfile = None
