"""``lab card`` and ``lab memory``: questions that are about no run."""

from collections.abc import Coroutine, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from drretail.api.judges import judges_for
from drretail.api.lab.judging import LabEstimate, LabResult, again_of, ask_all, check_experiment
from drretail.api.models import Opener
from drretail.api.option import accepts
from drretail.api.options.lab import CardOptions, MemoryOptions
from drretail.api.options.shared import paths_in, texts_in
from drretail.api.worlds import place_of, server_settings
from drretail.data_ingest.perturb.perturbed_world import FROM
from drretail.env.manifest import Manifest
from drretail.env.rows import rows_of
from drretail.errors import UserError
from drretail.eval.judging.session import Judge
from drretail.eval.judging.spending import Allowance, capped, judging_costs
from drretail.files import read_json
from drretail.lab.card import card_of, check_sets_stay, keep_card
from drretail.lab.kept_findings import keep
from drretail.lab.labelled_claims import (
    LabelledSet,
    cards_folder,
    drawn,
    estimate_labelled,
    judge_labelled,
    read_labelled,
)
from drretail.lab.memory.recollection import (
    AskedProduct,
    ask_products,
    draw_products,
    estimate_recall,
    measure_recall,
    memory_folder,
    recollections,
    with_others,
)
from drretail.lab.people_findings import JudgeCard
from drretail.lab.trial_findings import MemoryFound, Remembered
from drretail.progress import Bar, Waits, busy
from drretail.records.models import ModelChoice
from drretail.settings import read_settings


@accepts(CardOptions)
def card(options: CardOptions) -> Sequence[JudgeCard]:
    """How often each judge is right about claims that people labelled, asked as ``score`` asks it.

    Kept in EXP/lab/cards; ``score`` shows it beside the judge's scores from then on. Raises UserError where ``to``
    holds no experiment, and unless ``again`` where a card of other claims would be lost.
    """
    return card_with(options).finding


def card_with(options: CardOptions, *, quiet: bool = True) -> LabResult[Sequence[JudgeCard]]:
    """The same with what is printed beside it."""
    to, opener, judges, whole, chosen = _claims(options, keyless=False, quiet=quiet)
    again, folder = again_of(options.retry), cards_folder(to)
    if not options.again:
        for judge in judges:
            check_sets_stay(to, judge, chosen, options.seed)
    models = [judge.model for judge in judges if judge.model is not None]
    allowance = capped(folder, models, opener.prices, options.max_tokens, options.max_dollars)

    def lot(judge: Judge, labelled: LabelledSet, allowance: Allowance, bar: Bar) -> Coroutine[Any, Any, None]:
        return judge_labelled(folder, labelled, judge, again=again, allowance=allowance, bar=bar)

    lots = [partial(lot, judge, labelled) for judge in judges for labelled in chosen]
    total = len(judges) * sum(len(labelled.claims) for labelled in chosen)
    closing = ask_all(folder, "judging labelled claims", total, lots, allowance, quiet=quiet)
    sets = list(zip(chosen, whole, strict=True))
    costs = {each.folder: each.cost.dollars for each in judging_costs(folder, opener.prices)}
    cards = [card_of(folder, sets, judge, options.seed, costs.get(judge.slug)) for judge in judges]
    paths = [keep_card(to, judge, made) for judge, made in zip(judges, cards, strict=True)]
    document = {"cards": [made.model_dump(mode="json", exclude_none=True) for made in cards]}
    left = sum(part.failed + part.unasked for made in cards for part in made.sets)
    hint = f"Kept in {', '.join(map(str, paths))}; drretail score puts it beside every FP of the judge."
    return LabResult(cards, document, left, [] if closing is None else [closing], hint)


def estimate_card(options: CardOptions, *, quiet: bool = True) -> LabEstimate:
    """What judging the claims that have no verdict is likely to take."""
    to, opener, judges, _, chosen = _claims(options, keyless=True, quiet=quiet)
    folder = cards_folder(to)
    found = [one for judge in judges for one in estimate_labelled(folder, chosen, judge)]
    return LabEstimate("Claims left to judge", found, opener.prices)


def _claims(
    options: CardOptions, *, keyless: bool, quiet: bool
) -> tuple[Path, Opener, list[Judge], list[LabelledSet], list[LabelledSet]]:
    """The experiment, the judges, and all labelled claims of each file with those that were drawn."""
    to = Path(options.to)
    check_experiment(to)
    whole = _named([read_labelled(path) for path in paths_in(options.labels)])
    opener = Opener(read_settings(), texts_in(options.base_url), keyless=keyless, tell=Waits(quiet=quiet))
    judges = judges_for(["faithfulness"], options.judge, opener, options.model_profile)
    return to, opener, judges, whole, [drawn(labelled, options.n, options.seed) for labelled in whole]


def _named(sets: list[LabelledSet]) -> list[LabelledSet]:
    """The same with a name of its own for each."""
    names = [labelled.name for labelled in sets]
    return [
        replace(labelled, name=f"{labelled.name} {names[:at].count(labelled.name) + 1}")
        if labelled.name in names[:at]
        else labelled
        for at, labelled in enumerate(sets)
    ]


@accepts(MemoryOptions)
def memory(options: MemoryOptions) -> list[Remembered]:
    """What each model knows by heart of products: price, rating and brand by their titles, asked without tools.

    Kept in EXP/lab/memory.json beside what earlier calls found. Raises UserError for a model that follows rules, and
    where ``to`` holds no experiment.
    """
    return memory_with(options).finding


def memory_with(options: MemoryOptions, *, quiet: bool = True) -> LabResult[list[Remembered]]:
    """The same with what is printed beside it."""
    to, opener, models, manifest, products = _products(options, keyless=False, quiet=quiet)
    folder, shop, year = memory_folder(to), manifest.fingerprint, manifest.now.year
    again = again_of(options.retry)
    opened = [judge.model for judge in models if judge.model is not None]
    allowance = capped(folder, opened, opener.prices, options.max_tokens, options.max_dollars)

    def lot(model: Judge, allowance: Allowance, bar: Bar) -> Coroutine[Any, Any, None]:
        return ask_products(folder, shop, year, products, model, again=again, allowance=allowance, bar=bar)

    lots = [partial(lot, model) for model in models]
    closing = ask_all(folder, "asking for products", len(models) * len(products), lots, allowance, quiet=quiet)
    made = [
        measure_recall(
            products,
            recollections(folder, shop, products, model),
            model=model.ref,
            world=shop,
            perturbed_from=manifest.parameters.get(FROM),
            seed=options.seed,
        )
        for model in models
    ]
    document = keep(to, "memory", with_others(made, _before(to)), [])
    left = sum(each.failed + each.unasked for each in made)
    return LabResult(made, document, left, [] if closing is None else [closing])


def estimate_memory(options: MemoryOptions, *, quiet: bool = True) -> LabEstimate:
    """What asking about the products is likely to take."""
    to, opener, models, manifest, products = _products(options, keyless=True, quiet=quiet)
    folder, shop, year = memory_folder(to), manifest.fingerprint, manifest.now.year
    found = [estimate_recall(folder, shop, year, products, model) for model in models]
    return LabEstimate("Products left to ask about", found, opener.prices, ("model", "to ask"))


def _products(
    options: MemoryOptions, *, keyless: bool, quiet: bool
) -> tuple[Path, Opener, list[Judge], Manifest, list[AskedProduct]]:
    """The experiment, the models, and the products of the world that were drawn."""
    to = Path(options.to)
    check_experiment(to)
    opener = Opener(read_settings(), texts_in(options.base_url), keyless=keyless, tell=Waits(quiet=quiet))
    choices = dict.fromkeys(ModelChoice(model=spec) for spec in texts_in(options.model))
    models = [Judge.of(model) for model in opener.open_all(choices)]
    for model in models:
        if model.ref.kind == "rule_based":
            raise UserError(f"{model.ref.spec} follows rules and knows nothing by heart: name a language model.")
    place = place_of(str(options.world), quiet=quiet)
    with busy("drawing products", quiet=quiet), rows_of(place, server_settings()) as rows:
        return to, opener, models, rows.manifest, draw_products(rows.products, options.n, options.seed)


def _before(experiment: Path) -> MemoryFound | None:
    """What earlier calls found; nothing where it cannot be read, since it is made again from the answers."""
    path = experiment / "lab" / "memory.json"
    try:
        return MemoryFound.model_validate(read_json(path)) if path.is_file() else None
    except (UserError, ValidationError):
        return None
