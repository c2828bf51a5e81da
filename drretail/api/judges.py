"""Judges by their specs, open models and profiles."""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from drretail.errors import UnknownName, UserError
from drretail.records.models import ModelChoice
from drretail.viewer.output import say

if TYPE_CHECKING:
    from pathlib import Path

    from drretail.api.models import Opener
    from drretail.eval.judging.session import Judge
    from drretail.eval.metric import Metric
    from drretail.llm.registry import Model

OFFLINE_NOTE = (
    "No --judge given: offline:judge judges. It decides by fields of records alone, and is no language model."
)
OFFLINE_JUDGE = "offline:judge"


def judges(
    specs: Sequence[str], opener: "Opener", profile: str | None = None, *, on_offline: Callable[[], None] | None = None
) -> "list[Judge]":
    """The judges that these specs name, or else those of the profile, each once.

    If neither names any, offline:judge judges, and ``on_offline`` is called.
    """
    from drretail.api.models import profile_of
    from drretail.api.settings import OFFLINE_MODEL
    from drretail.eval.judging.session import Judge
    from drretail.eval.scores.gathering import is_panel

    for spec in filter(is_panel, specs):
        raise UserError(
            f"{spec} is a panel, made of what its members said, and can't be asked: name the members instead, each "
            "with a --judge of its own."
        )
    chosen = [ModelChoice(model=spec) for spec in specs]
    if not chosen and (profiled := profile_of(profile, opener.settings)) is not None:
        chosen = [*profiled.judges]
    if not chosen:
        if on_offline is not None:
            on_offline()
        chosen = [ModelChoice(model=OFFLINE_JUDGE)]
    for provider, _, name in (choice.model.partition(":") for choice in chosen):
        if provider == "offline" and name and f"offline:{name}" != OFFLINE_JUDGE:
            raise UnknownName("offline judge", name, ["judge"])
    try:
        return [Judge.of(model) for model in opener.open_all(dict.fromkeys(chosen))]
    except UnknownName:
        raise
    except UserError as problem:  # the opener suggests the offline model that answers, not the one that judges
        raise UserError(str(problem).replace(OFFLINE_MODEL, OFFLINE_JUDGE)) from problem


def judges_for(
    metrics: "Sequence[str | Metric]",
    given: "str | Model | Iterable[str | Model]",
    opener: "Opener",
    profile: str | None = None,
) -> "list[Judge]":
    """The judges of these metrics: those of specs, then open models; without any, the judges of the profile.

    Empty if no metric needs a judge. A note on stderr says if offline:judge stands in.
    """
    from drretail.eval.judging.session import Judge
    from drretail.eval.registry import PAIRWISE, load_metrics
    from drretail.llm.registry import Model

    if PAIRWISE not in metrics and not any(metric.needs_judge for metric in load_metrics(metrics)):
        return []
    brought = [given] if isinstance(given, str | Model) else list(given)
    if not brought:
        return judges([], opener, profile, on_offline=lambda: say(OFFLINE_NOTE))
    specs = list(dict.fromkeys(one for one in brought if isinstance(one, str)))
    named = judges(specs, opener) if specs else []
    return [*named, *(Judge.of(one) for one in brought if isinstance(one, Model))]


@contextmanager
def asked_in_batches(judges: "Sequence[Judge]", experiment: "Path", poll: float) -> "Generator[list[Judge]]":
    """The same judges, asked through Message Batches; ``poll`` is in seconds.

    The requests are kept beside the verdicts until all of them are answered, so that an interrupted command finds its
    answers again. Raises UserError for a judge whose provider takes no batches.
    """
    from drretail.eval.judging.session import Judge
    from drretail.llm.batches import batching

    with ExitStack() as stack:
        models = [judge.model for judge in judges if judge.model is not None]
        opened = [
            stack.enter_context(batching(model, experiment / "verdicts", notify=say, poll=poll)) for model in models
        ]
        yield [Judge.of(each.model, in_batches=True) for each in opened]
        for each in opened:
            each.settle()
