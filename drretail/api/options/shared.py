"""Options of the commands that read an experiment: who judges, at what cost, in which world."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from drretail.api.option import MODELS, RESUMING, SHOP, Option
from drretail.errors import UserError, quoted
from drretail.files import check_entries

if TYPE_CHECKING:
    from drretail.api.recorded import RecordedExperiment
    from drretail.env.world import World as OpenWorld
    from drretail.eval.metric import Metric
    from drretail.llm.registry import Model

WHAT = "What to judge"
Texts = str | Iterable[str]
"""Several texts, or one. If they are names, one text may hold several, separated by commas."""
Files = str | Path | Iterable[str | Path]


class FileAddress(str):
    """An address that only a file of options names. No key of the user's goes there."""


Retry = Literal["failed", "everything"]

Experiment = Annotated[
    "str | Path | RecordedExperiment", Option("The experiment's folder.", argument=True, metavar="EXP", type=Path)
]
SomeExperiment = Annotated[
    "str | Path | RecordedExperiment | None",
    Option("The experiment's folder.", argument=True, metavar="EXP", type=Path),
]
Judge = Annotated[
    "str | Model | Iterable[str | Model]",
    Option("Who judges.", metavar="PROVIDER:MODEL", type=list[str], default="the rule-based offline:judge"),
]
ModelProfile = Annotated[
    str | None, Option("Models and judges: default, cheap, local, paper-like.", MODELS, metavar="NAME")
]
MaxTokens = Annotated[int | None, Option("Maximum tokens for judging.", MODELS, min=1)]
MaxDollars = Annotated[float | None, Option("Maximum dollars for judging.", min=0.0001)]
Web = Annotated[
    str | None,
    Option(
        "Where pages come from: sandbox[:FILE|FOLDER], serper, searxng[:URL], a plugin or module:attribute.",
        SHOP,
        metavar="NAME[:ARGUMENT]",
        default="sandbox",
    ),
]
MovedWorld = Annotated[
    "str | Path | OpenWorld | None",
    Option("The world's new folder, if it was moved.", SHOP, short="-w", metavar="W", type=str),
]
Names = Annotated[
    str | Path | None, Option("With --redact: people's names to remove as well, one a line.", metavar="FILE", type=Path)
]
Force = Annotated[bool, Option("Replace an earlier result.", RESUMING)]
RetryFailed = Annotated[Literal["failed"] | None, Option("Repeat failed model calls.", RESUMING, metavar="failed")]
Seed = Annotated[str, Option("The random seed.")]


def folder_of(experiment: "str | Path | RecordedExperiment | None") -> Path:
    """The folder of an experiment. Every command gets its experiment through this function.

    Raises UserError as ``check_entries`` does. A folder that is no experiment is not searched: its reader says so.
    """
    folder = getattr(experiment, "folder", experiment)
    if not isinstance(folder, str | Path):
        raise UserError(f"The experiment is {quoted(experiment)}: name its folder.")
    if os.path.lexists(Path(folder) / "experiment.json"):
        check_entries(Path(folder))
    return Path(folder)


def split_names(names: Texts | None) -> list[str]:
    """The names without surrounding blanks. One text may hold several, separated by commas.

    Raises UserError for a blank one.
    """
    texts = text_list(names)
    named = [name.strip() for text in texts for name in text.split(",")]
    if not all(named):
        raise UserError(f"{','.join(texts)!r} names nothing somewhere: put one name between commas.")
    return named


def metrics_in(metrics: "str | Metric | Iterable[str | Metric]") -> "list[str | Metric]":
    """The metrics by their names, or as objects. Raises UserError for a blank name."""
    several = [metrics] if isinstance(metrics, str) or not isinstance(metrics, Iterable) else list(metrics)
    return [name for part in several for name in (split_names(part) if isinstance(part, str) else [part])]


def text_list(texts: Texts | None) -> list[str]:
    return [texts] if isinstance(texts, str) else list(texts or ())


def paths_in(paths: Files | None) -> list[Path]:
    return [Path(paths)] if isinstance(paths, str | Path) else [Path(path) for path in paths or ()]
