"""What ``reproduce`` is given."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated

from drretail.api.option import MODELS, RESUMING, Option
from drretail.api.options import research, shared
from drretail.api.options.run import Queries


@dataclass(frozen=True, slots=True)
class ReproduceOptions:
    """Who answers, who judges, and what that may cost."""

    model: research.Model = None
    judge: shared.Judge = ()
    _: KW_ONLY
    to: Annotated[str | Path | None, Option("The experiment's folder.", metavar="EXP", type=Path)] = None
    max_dollars: Annotated[float | None, Option("Maximum dollars for runs and judging.", min=0.01)] = None
    max_tokens: Annotated[int | None, Option("Maximum tokens for runs and judging.", MODELS, min=1)] = None
    world: research.World = "demo"
    queries: Annotated[
        Queries | None,
        Option("The queries (default: the fifty of `queries shipped --split all`).", metavar="FILE", type=Path),
    ] = None
    only: Annotated[int | None, Option("The number of queries to use.", metavar="N", min=1)] = None
    web: research.Web = None
    model_profile: shared.ModelProfile = None
    base_url: research.BaseUrl = ()
    parallel: Annotated[int | None, Option("Maximum number of parallel runs.", min=1, default="4")] = None
    retry: Annotated[str | None, Option("Repeat failed runs and judgements.", RESUMING, metavar="failed")] = None
    observer: research.Observer = None
