"""``lab agree``, ``calibrate``, ``correct`` and ``sample``: judges and people; no model is asked."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from drretail.api.lab.judging import LabResult
from drretail.api.option import accepts
from drretail.api.options.lab import AgreeOptions, CalibrateOptions, CorrectOptions, SampleOptions
from drretail.api.options.shared import folder_of, names_in, paths_in
from drretail.errors import UserError
from drretail.lab.agreement import agreement_of
from drretail.lab.calibration import NAME as CALIBRATE
from drretail.lab.calibration import Calibration, calibrate_versions, frozen, of_model, prompts_hash, question_of
from drretail.lab.correction import LEAST, correction_of
from drretail.lab.kept_findings import VOTES, keep, verdict_folders
from drretail.lab.opinions import SUPPORT, Opinion, named, opinions_of, read_all
from drretail.lab.people_findings import Agreement, Correction
from drretail.tables.cells import as_csv
from drretail.viewer.voting.plan import plan_uncited, planned_claims, sheet_rows, uncited_items


@accepts(AgreeOptions)
def agree(options: AgreeOptions) -> Agreement:
    """How far raters agree: people's answers in ``view`` or in CSV, and judges' verdicts on the same.

    Kept in EXP/lab/agree.json. Raises UserError with neither an experiment nor a file.
    """
    return agree_with(options).finding


def agree_with(options: AgreeOptions) -> LabResult[Agreement]:
    """The same with what is printed beside it."""
    ratings = paths_in(options.ratings)
    if options.experiment is None and not ratings:
        raise UserError("Nothing to compare: name an experiment's folder, or a file with --ratings CSV.")
    columns = {
        "--raters": names_in(options.raters), "--item": names_in(options.item), "--judges": names_in(options.judges),
    }  # fmt: skip
    if not ratings and any(columns.values()):
        raise UserError("--raters, --item and --judges say how to read a file: add --ratings CSV.")
    experiment = None if options.experiment is None else folder_of(options.experiment)
    found: list[Opinion] = [] if experiment is None else opinions_of(experiment)
    claims = [opinion.item for opinion in found if opinion.question.scale == SUPPORT]
    found += read_all(ratings, *columns.values(), known_claims=claims)
    made = agreement_of(found)
    if experiment is None:
        return LabResult(made, made.model_dump(mode="json", exclude_none=True))
    given = {"--ratings": ratings} | {flag: ",".join(names) or None for flag, names in columns.items()}
    document = keep(experiment, "agree", made, [VOTES, *verdict_folders(experiment)], given, again=options.again)
    has_voted = any(opinion.kind == "person" for opinion in found)
    hint = "" if has_voted else f"Nobody has voted yet: drretail view {experiment} asks people."
    return LabResult(made, document, hint=hint)


@accepts(CalibrateOptions)
def calibrate(options: CalibrateOptions) -> Calibration:
    """Which version of a judge is nearest to people, chosen on half of the queries and measured on the other half.

    Kept in EXP/lab/calibrate.json; a choice that is kept stays unless ``again``. Raises UserError where it was made for
    another judge or question, and where nobody rated what a judge rated.
    """
    return calibrate_with(options)[0].finding


def calibrate_with(options: CalibrateOptions) -> tuple[LabResult[Calibration], bool]:
    """The same with what is printed beside it, and whether the choice was made before."""
    experiment, ratings, judges = folder_of(options.experiment), paths_in(options.ratings), names_in(options.judges)
    found = [*opinions_of(experiment), *read_all(ratings, judges=judges)]
    question = question_of(found, options.dimension)
    mine, model = of_model([opinion for opinion in found if opinion.question == question], options.judge)
    before = None if options.again else frozen(experiment)
    if before is not None and (before.model, before.question) != (model, named(question)):
        raise UserError(
            f"{experiment} holds the choice for {before.model} on {before.question}: --again replaces it "
            f"by one for {model} on {named(question)}."
        )
    made = calibrate_versions(
        mine, options.seed if before is None else before.seed, "" if before is None else before.chosen
    )
    versions = [each.version for each in made.tuning]
    if made.chosen not in versions:
        raise UserError(f"{made.chosen}, which was chosen, judged nothing that people rated: choose anew with --again.")
    chosen = next(opinion.judge for opinion in mine if (opinion.kind, opinion.rater) == ("judge", made.chosen))
    made = made.model_copy(update={"model": model, "prompt_hash": prompts_hash(experiment, chosen)})
    given = {
        "--judge": options.judge, "--dimension": options.dimension, "--ratings": ratings,
        "--judges": ",".join(judges) or None,
    }  # fmt: skip
    document = keep(experiment, CALIBRATE, made, [VOTES, *verdict_folders(experiment)], given, again=options.again)
    another = f"drretail score {experiment} --metrics quality --judge {model} --prompts DIR"
    hint = f"There is only one version: {another} makes another." if len(versions) == 1 else ""
    return LabResult(made, document, hint=hint), before is not None


@accepts(CorrectOptions)
def correct(options: CorrectOptions) -> Correction:
    """Corrects FP, FR and win rates by people's labels, with 95 % intervals.

    Kept in EXP/lab/correct.json. Raises UserError where nobody labelled anything, or several judges ruled and none is
    named.
    """
    return correct_with(options).finding


def correct_with(options: CorrectOptions) -> LabResult[Correction]:
    """The same with what is printed."""
    experiment, labels = folder_of(options.experiment), paths_in(options.labels)
    made = correction_of(experiment, options.judge, labels)
    judged = [path for family in ("faithfulness", "pairwise") for path in verdict_folders(experiment, family)]
    given = {"--labels": labels, "--judge": options.judge}
    return LabResult(made, keep(experiment, "correct", made, [VOTES, *judged], given, again=options.again))


@dataclass(frozen=True, slots=True)
class Sample:
    """Claims that were drawn to be labelled."""

    path: Path
    """The sheet to fill in."""
    claims: int
    """Claims with a verdict."""
    by_system: Mapping[str, int]
    """How many of them each system has."""
    needed: int
    """So many labels of each system ``correct`` needs."""
    uncited: int
    """Claims without one."""


@accepts(SampleOptions)
def sample(options: SampleOptions) -> Sample:
    """Draws claims to be labelled into the plan of ``view`` and into a sheet, which doesn't say what the judge ruled.

    Raises UserError where the sheet exists, and where no claim has a verdict.
    """
    experiment = folder_of(options.experiment)
    path = experiment / "lab" / "sample.csv" if options.to is None else Path(options.to)
    if path.exists():
        raise UserError(f"{path} exists, and may hold labels: name another file with --to.")
    claims = planned_claims(experiment, options.n, options.seed).claims
    if not claims:
        raise UserError(f"No claim of {experiment} has a verdict: drretail score {experiment} judges them first.")
    rows = sheet_rows(experiment, claims, options.uncited, options.seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(as_csv(rows))
    if options.uncited:
        plan_uncited(experiment, uncited_items(experiment, claims, options.uncited, options.seed))
    by_system = dict(sorted(Counter(claim.system for claim in claims).items()))
    return Sample(path, len(claims), by_system, LEAST, len(rows) - 1 - len(claims))
