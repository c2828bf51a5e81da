"""``lab card``: questions that are about no run."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

from drretail.api.judges import judges_for
from drretail.api.lab.judging import LabEstimate, LabResult, again_of
from drretail.api.models import Opener
from drretail.api.option import accepts
from drretail.api.options.lab import CardOptions
from drretail.api.options.shared import paths_in, texts_in
from drretail.errors import UserError
from drretail.eval.judging.session import Judge
from drretail.eval.judging.spending import Allowance, CapReached, capped, judging_costs
from drretail.event_loop import run_loop
from drretail.experiment import locked
from drretail.lab.card import card_of, check_sets_stay, keep_card
from drretail.lab.labelled_claims import (
    LabelledSet,
    cards_folder,
    drawn,
    estimate_labelled,
    judge_labelled,
    read_labelled,
)
from drretail.lab.people_findings import JudgeCard
from drretail.progress import Waits, choose_progress
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
    again, folder, pairs = again_of(options.retry), cards_folder(to), list(product(judges, chosen))
    if not options.again:
        for judge in judges:
            check_sets_stay(to, judge, chosen, options.seed)
    models = [judge.model for judge in judges if judge.model is not None]
    allowance = capped(folder, models, opener.prices, options.max_tokens, options.max_dollars) or Allowance()
    folder.mkdir(parents=True, exist_ok=True)
    total, progress = sum(len(labelled.claims) for _, labelled in pairs), choose_progress("none" if quiet else None)
    with locked(folder), progress.track("judging labelled claims", total) as bar:
        for judge, labelled in pairs:
            try:
                run_loop(judge_labelled(folder, labelled, judge, again=again, allowance=allowance, bar=bar))
            except CapReached:
                allowance.cut += 1
    sets = list(zip(chosen, whole, strict=True))
    costs = {each.folder: each.cost.dollars for each in judging_costs(folder, opener.prices)}
    cards = [card_of(folder, sets, judge, options.seed, costs.get(judge.slug)) for judge in judges]
    paths = [keep_card(to, judge, made) for judge, made in zip(judges, cards, strict=True)]
    document = {"cards": [made.model_dump(mode="json", exclude_none=True) for made in cards]}
    left = sum(part.failed + part.unasked for made in cards for part in made.sets)
    hint = f"Kept in {', '.join(map(str, paths))}; drretail score puts it beside every FP of the judge."
    return LabResult(cards, document, left, [] if allowance.closing is None else [allowance.closing], hint)


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
    if not (to / "experiment.json").is_file():  # findings beside no scores would be read by nobody
        raise UserError(f"{to} holds no experiment: --to names one that drretail run or drretail import made.")
    # The same with a name of its own for each
    sets = [read_labelled(path) for path in paths_in(options.labels)]
    names = [labelled.name for labelled in sets]
    whole = [
        replace(labelled, name=f"{labelled.name} {names[:at].count(labelled.name) + 1}")
        if labelled.name in names[:at]
        else labelled
        for at, labelled in enumerate(sets)
    ]
    opener = Opener(read_settings(), texts_in(options.base_url), keyless=keyless, tell=Waits(quiet=quiet))
    judges = judges_for(["faithfulness"], options.judge, opener, options.model_profile)
    return to, opener, judges, whole, [drawn(labelled, options.n, options.seed) for labelled in whole]
