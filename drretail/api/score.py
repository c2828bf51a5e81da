"""``score`` and ``compare``, as the commands of these names do it."""

from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path

from drretail.api.judges import OFFLINE_JUDGE, judges, world_of
from drretail.api.models import Opener
from drretail.api.recorded import RecordedExperiment
from drretail.api.webs import pages_by_label
from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.errors import UserError
from drretail.eval.compare.comparing import compare_recorded
from drretail.eval.family import Family
from drretail.eval.judge_prompts import PACKAGED, read_wording
from drretail.eval.judging.session import Judge
from drretail.eval.judging.spending import capped
from drretail.eval.registry import PAIRWISE, USUAL, load_metrics
from drretail.eval.scoring import score as score_experiment
from drretail.event_loop import run_loop
from drretail.experiment import read_definition
from drretail.llm.registry import Model
from drretail.progress import choose_progress
from drretail.records.comparison import Comparison
from drretail.records.score import Rules, Scores
from drretail.settings import read_settings

Experiment = str | Path | RecordedExperiment
Judges = str | Model | Iterable[str | Model]


def score(
    experiment: Experiment,
    metrics: str | Family | Iterable[str | Family] = USUAL,
    judge: Judges = OFFLINE_JUDGE,
    *,
    world: str | Path | World | None = None,
    rules: Rules = "default",
    pairs: Iterable[str] = (),
    judge_repeats: int = 1,
    rate_floors: bool = False,
    retry_failed: bool = False,
    fetch_sources: bool = False,
    prompts: str | Path | None = None,
    criteria: str | Path | None = None,
    reference: str | None = None,
    gold: str | Path | None = None,
    max_tokens: int | None = None,
    max_dollars: float | None = None,
) -> Scores:
    """The scores of an experiment: ``.scores`` holds the rows, ``.by_system("FP")`` a variant by system, and
    ``.scoreboard`` one row a system.

    What was judged already is not asked again. ``metrics`` are names, ``module:attribute`` places or Family objects;
    "pairwise" compares the ``pairs``, written "A~B", or all. ``judge`` is a model or several; the default one follows
    rules, so it is asked for no ratings. With ``rate_floors`` the quality of null agents and the oracle is rated, too.
    ``world`` is the runs' world where it has moved. ``fetch_sources`` first fetches the cited pages that the runs have
    not read. ``prompts`` is a folder of judges' prompts that stand in for the packaged ones (docs/scores.md),
    ``criteria`` one of what reports on a query are held to (docs/metrics.md), ``gold`` one of what good answers tell
    and cite (docs/metrics/dr3.md). ``reference`` is the system whose reports "race" holds the others beside.

    Raises UserError for a folder without an experiment, for a wrong name, and while another process writes there.
    """
    folder = folder_of(experiment)
    families = [metrics] if isinstance(metrics, str | Family) else list(metrics)
    settings = read_settings()
    opener = Opener(settings)
    needed = PAIRWISE in families or any(metric.needs_judge for metric in load_metrics(families))
    asked = opened_judges(judge, opener) if needed else []
    models = [one.model for one in asked if one.model is not None]
    missing = pages_by_label(settings, read_definition(folder).systems) if fetch_sources else None
    place = nullcontext(world) if isinstance(world, World) else world_of(folder, None if world is None else str(world))
    with place as shop:
        return run_loop(
            score_experiment(
                folder,
                families,
                asked,
                rules=rules,
                store=None if shop is None else shop.store,
                offers=None if shop is None else Offers(shop).would_do,
                progress=choose_progress("none"),
                page_age=settings.page_age,
                missing=missing,
                judge_repeats=judge_repeats,
                pairs=tuple(pairs),
                rate_floors=rate_floors,
                prices=opener.prices,
                again="failed" if retry_failed else "nothing",
                allowance=capped(folder, models, opener.prices, max_tokens, max_dollars),
                criteria=None if criteria is None else Path(criteria),
                reference=reference,
                gold=None if gold is None else Path(gold),
                wording=PACKAGED if prompts is None else read_wording(Path(prompts)),
            )
        )


def compare(
    experiment: Experiment, a: str, b: str, *, metrics: Iterable[str | Family] | None = None, judges: Iterable[str] = ()
) -> Comparison:
    """System ``a`` beside system ``b``, query by query: what can be concluded, what can't, and what is missing.

    A label's beginning will do where no other label begins so. Nothing is judged. Raises UnknownName for a label that
    nothing goes by, UserError for one that could be several.
    """
    families = None if metrics is None else list(metrics)
    (comparison,) = compare_recorded(folder_of(experiment), a, b, metrics=families, judges=tuple(judges))
    return comparison


def folder_of(experiment: Experiment) -> Path:
    """Where it lies."""
    return experiment.folder if isinstance(experiment, RecordedExperiment) else Path(experiment)


def opened_judges(judge: Judges, opener: Opener) -> list[Judge]:
    """The judges of specs and of models that are open already, in their order."""
    given = [judge] if isinstance(judge, str | Model) else list(judge)
    if not given:
        raise UserError('Nobody is named to judge: say judge="provider:model", or leave it out.')
    return [found for it in given for found in ([Judge.of(it)] if isinstance(it, Model) else judges([it], opener))]
