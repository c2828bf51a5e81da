"""``lab agree``, ``calibrate``, ``correct``, ``sample`` and ``card``: judges and people; only ``card`` asks a model."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path

from drretail.addons.lab.agreement import agreement_of
from drretail.addons.lab.calibration import NAME as CALIBRATE
from drretail.addons.lab.calibration import Calibration, calibrate_versions, frozen, of_model, prompts_hash, question_of
from drretail.addons.lab.card import card_of, check_sets_stay, keep_card
from drretail.addons.lab.commands.judging import Judging
from drretail.addons.lab.correction import LEAST, correction_of
from drretail.addons.lab.kept_findings import VOTES, keep, verdict_folders
from drretail.addons.lab.labelled_claims import (
    LabelledSet,
    cards_folder,
    drawn,
    estimate_labelled,
    judge_labelled,
    read_labelled,
)
from drretail.addons.lab.opinions import SUPPORT, Opinion, named, opinions_of, read_all
from drretail.addons.lab.options import AgreeOptions, CalibrateOptions, CardOptions, CorrectOptions, SampleOptions
from drretail.addons.lab.people_findings import Agreement, Correction, JudgeCard
from drretail.addons.lab.tables import agreement_parts, calibration_parts, cards_parts, correction_parts
from drretail.addons.people.voting.plan import plan_uncited, planned, sheet_of
from drretail.api.option import accepts
from drretail.api.options.shared import folder_of, names_in, paths_in
from drretail.errors import UserError
from drretail.eval.judging.spending import CapReached, judging_costs
from drretail.experiment import locked, read_definition
from drretail.files import write_atomically
from drretail.llm.estimates import Estimates
from drretail.llm.event_loop import run_loop
from drretail.progress import busy, choose_progress
from drretail.records.tables.figures import counted
from drretail.records.tables.result import Result


@accepts(AgreeOptions)
def agree(options: AgreeOptions) -> Result[Agreement]:
    """How far raters agree: people's answers in ``view`` or in CSV, and judges' verdicts on the same items.

    Kept in EXP/lab/agree.json. Raises UserError if neither an experiment nor a file is given.
    """
    ratings, judges = paths_in(options.ratings), names_in(options.judges)
    if options.experiment is None and not ratings:
        raise UserError("Nothing to compare: name an experiment's folder, or a file with --ratings CSV.")
    if judges and not ratings:
        raise UserError("--judges says how to read a file: add --ratings CSV.")
    experiment = None if options.experiment is None else folder_of(options.experiment)
    opinions: list[Opinion] = [] if experiment is None else opinions_of(experiment)
    claims = [opinion.item for opinion in opinions if opinion.question.scale == SUPPORT]
    opinions += read_all(ratings, judges, claims)
    with busy("comparing raters"):
        made = agreement_of(opinions)
    parts = [*agreement_parts(made)]
    if experiment is None:
        return Result(made, made.model_dump(mode="json", exclude_none=True), parts)
    flags = {"--ratings": ratings, "--judges": ",".join(judges) or None}
    document = keep(experiment, "agree", made, [VOTES, *verdict_folders(experiment)], flags, again=options.force)
    has_voted = any(opinion.kind == "person" for opinion in opinions)
    hints = [] if has_voted else [f"Nobody has voted yet: drretail view {experiment} asks people."]
    return Result(made, document, parts, hints=hints)


@accepts(CalibrateOptions)
def calibrate(options: CalibrateOptions) -> Result[Calibration]:
    """Which version of a judge is nearest to people, chosen on half of the queries and measured on the other half.

    Kept in EXP/lab/calibrate.json; an earlier choice stays unless ``again``. Raises UserError if that choice is for
    another judge or question, and if people rated nothing that a judge rated.
    """
    experiment, ratings, judges = folder_of(options.experiment), paths_in(options.ratings), names_in(options.judges)
    opinions = [*opinions_of(experiment), *read_all(ratings, judges)]
    question = question_of(opinions, options.dimension)
    mine, model = of_model([opinion for opinion in opinions if opinion.question == question], options.judge)
    before = None if options.force else frozen(experiment)
    if before is not None and (before.model, before.question) != (model, named(question)):
        raise UserError(
            f"{experiment} holds the choice for {before.model} on {before.question}: --force replaces it "
            f"by one for {model} on {named(question)}."
        )
    seed, chosen = (options.seed, "") if before is None else (before.seed, before.chosen)
    with busy("comparing versions"):
        made = calibrate_versions(mine, seed, chosen)
    versions = [each.version for each in made.tuning]
    if made.chosen not in versions:
        raise UserError(f"{made.chosen}, which was chosen, judged nothing that people rated: choose anew with --force.")
    judge = next(opinion.judge for opinion in mine if (opinion.kind, opinion.rater) == ("judge", made.chosen))
    made = made.model_copy(update={"model": model, "prompt_hash": prompts_hash(experiment, judge)})
    flags = {
        "--judge": options.judge, "--dimension": options.dimension, "--ratings": ratings,
        "--judges": ",".join(judges) or None,
    }  # fmt: skip
    document = keep(experiment, CALIBRATE, made, [VOTES, *verdict_folders(experiment)], flags, again=options.force)
    another = f"drretail score {experiment} --metrics quality --judge {model} --prompts DIR"
    hints = [f"There is only one version: {another} makes another."] if len(versions) == 1 else []
    return Result(made, document, [*calibration_parts(made, was_chosen=before is not None)], hints=hints)


@accepts(CorrectOptions)
def correct(options: CorrectOptions) -> Result[Correction]:
    """Corrects FP, FR and win rates by people's labels, with 95 % intervals.

    Kept in EXP/lab/correct.json. Raises UserError if nobody labelled anything, and if several judges have verdicts and
    none is named.
    """
    experiment, labels = folder_of(options.experiment), paths_in(options.labels)
    made = correction_of(experiment, options.judge, labels)
    judged = [path for metric in ("faithfulness", "pairwise") for path in verdict_folders(experiment, metric)]
    flags = {"--labels": labels, "--judge": options.judge}
    document = keep(experiment, "correct", made, [VOTES, *judged], flags, again=options.force)
    return Result(made, document, [*correction_parts(made, read_definition(experiment).systems)])


@dataclass(frozen=True, slots=True)
class Sample:
    """Claims that were drawn to be labelled."""

    path: Path
    """The sheet to fill in."""
    claims: int
    """The number of drawn claims that have a verdict."""
    by_system: Mapping[str, int]
    """How many of these claims each system has."""
    needed: int
    """How many labels of each system ``correct`` needs."""
    uncited: int
    """The number of drawn claims without a citation, which have no verdict."""


@accepts(SampleOptions)
def sample(options: SampleOptions) -> Result[Sample]:
    """Draws claims for people to label into the plan of ``view`` and into a sheet. The sheet doesn't show the judge's
    verdicts.

    Raises UserError if the sheet exists, and if no claim has a verdict.
    """
    experiment = folder_of(options.experiment)
    path = experiment / "lab" / "sample.csv" if options.to is None else Path(options.to)
    if path.exists():
        raise UserError(f"{path} exists, and may hold labels: name another file with --to.")
    claims = planned(experiment, claims=options.n, seed=options.seed).claims
    if not claims:
        raise UserError(f"No claim of {experiment} has a verdict: drretail score {experiment} judges them first.")
    bare = plan_uncited(experiment, claims, options.uncited, options.seed) if options.uncited else []
    write_atomically(path, sheet_of(experiment, [*claims, *bare], asks_cited=options.uncited > 0))
    by_system = dict(sorted(Counter(claim.system for claim in claims).items()))
    made = Sample(path, len(claims), by_system, LEAST, len(bare))
    document = {**asdict(made), "path": str(path)}
    return Result(made, document, notes=[*_how_to_label(made, experiment, options)], path=path)


def _how_to_label(made: Sample, experiment: Path, options: SampleOptions) -> Iterator[str]:
    yield (
        f"{counted(made.claims, 'claim')} in {made.path}: label full, partial, none or contradicted; blank: no label."
    )
    if options.uncited:
        yield f"{made.uncited:,} more have no verdict. For all claims, fill in the column cited: yes, no or no claim."
    by_system = ", ".join(f"{system} {count:,}" for system, count in made.by_system.items())
    yield f"By system: {by_system}. lab correct needs {counted(made.needed, 'label')} of each."
    if made.claims < options.n:
        yield f"That is fewer than the {options.n:,} asked for: no other claim has a verdict."
    yield f"In the browser: drretail view {experiment} --n {options.n}. Then: drretail lab correct {experiment}."
    yield f"Or fill in the sheet. Then: drretail lab correct {experiment} --labels {made.path}."


@accepts(CardOptions)
def estimate_card(options: CardOptions) -> Estimates:
    """What judging the claims without a verdict is likely to take."""
    to, judging, _, chosen = _claims(options, keyless=True)
    folder = cards_folder(to)
    estimates = [estimate for judge in judging.judges for estimate in estimate_labelled(folder, chosen, judge)]
    return Estimates("Claims left to judge", estimates, judging.opener.prices)


@accepts(CardOptions)
def card(options: CardOptions) -> Result[Sequence[JudgeCard]]:
    """How often each judge is right about claims that people labelled, asked as ``score`` asks it.

    Kept in EXP/lab/cards; ``score`` shows it beside the judge's scores from then on. Raises UserError if ``to`` holds
    no experiment, and, unless ``again``, if a card of other claims would be lost.
    """
    to, judging, whole, chosen = _claims(options)
    judges, prices = judging.judges, judging.opener.prices
    folder, pairs = cards_folder(to), list(product(judges, chosen))
    if not options.force:
        for judge in judges:
            check_sets_stay(to, judge, chosen, options.seed)
    allowance = judging.allowance(folder)
    folder.mkdir(parents=True, exist_ok=True)
    total = sum(len(labelled.claims) for _, labelled in pairs)
    with locked(folder), choose_progress().track("judging labelled claims", total) as bar:
        for judge, labelled in pairs:
            try:
                run_loop(judge_labelled(folder, labelled, judge, again=judging.again, allowance=allowance, bar=bar))
            except CapReached:
                allowance.cut += 1
    sets = list(zip(chosen, whole, strict=True))
    costs = {each.folder: each.cost.dollars for each in judging_costs(folder, prices)}
    cards = [card_of(folder, sets, judge, options.seed, costs.get(judge.slug)) for judge in judges]
    paths = [keep_card(to, judge, made) for judge, made in zip(judges, cards, strict=True)]
    document = {"cards": [made.model_dump(mode="json", exclude_none=True) for made in cards]}
    left = sum(part.failed + part.unasked for made in cards for part in made.sets)
    hint = f"Kept in {', '.join(map(str, paths))}; drretail score puts it beside every FP of the judge."
    notes = [] if allowance.closing is None else [allowance.closing]
    return Result(cards, document, [*cards_parts(cards)], left=left, notes=notes, hints=[hint])


def _claims(
    options: CardOptions, *, keyless: bool = False
) -> tuple[Path, Judging, list[LabelledSet], list[LabelledSet]]:
    """The experiment, the judges, and the labelled claims of each file: all of them, and those drawn."""
    to = Path(options.to)
    if not (to / "experiment.json").is_file():  # the card is read beside scores, and there would be none
        raise UserError(f"{to} holds no experiment: --to names one that drretail run or drretail import made.")
    # Each set needs a name of its own: a name that repeats is numbered.
    sets = [read_labelled(path) for path in paths_in(options.labels)]
    names = [labelled.name for labelled in sets]
    whole = [
        replace(labelled, name=f"{labelled.name} {names[:at].count(labelled.name) + 1}")
        if labelled.name in names[:at]
        else labelled
        for at, labelled in enumerate(sets)
    ]
    judging = Judging.of(["faithfulness"], options, keyless=keyless)
    return to, judging, whole, [drawn(labelled, options.n, options.seed) for labelled in whole]
