"""``lab`` from Python: how reliable a judge is. Each function does what the command of its name does."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path

from drretail.addons.lab import tables
from drretail.addons.lab.agreement import agreement_of
from drretail.addons.lab.card import (
    VOTES,
    card_of,
    cards_folder,
    drawn,
    judge_labelled,
    keep,
    keep_card,
    read_labelled,
    verdict_folders,
)
from drretail.addons.lab.correction import correction_of
from drretail.addons.lab.findings import LEAST_LABELS, Correction, JudgeCard, RaterAgreement
from drretail.addons.lab.opinions import SUPPORT, Opinion, opinions_of, read_all
from drretail.addons.lab.options import (
    AgreeOptions,
    CardOptions,
    CorrectOptions,
    SampleOptions,
)
from drretail.addons.people.plan import planned, sheet_of
from drretail.api.models import Opener
from drretail.api.option import accepts
from drretail.api.options.shared import folder_of, paths_in, split_names
from drretail.api.score import judges_for
from drretail.api.settings import read_settings
from drretail.errors import UserError
from drretail.eval.claims.claims import FAITHFULNESS
from drretail.eval.judging.spending import CapReached, allowance_for, judging_costs
from drretail.event_loop import run_loop
from drretail.experiments.experiment import read_definition
from drretail.files import locked_folder, write_atomically
from drretail.records.account import Account
from drretail.records.figures import counted
from drretail.viewer.drawing.progress import busy, choose_progress
from drretail.viewer.drawing.result import Result

__all__ = ["agree", "card", "correct", "sample"]


@accepts(AgreeOptions)
def agree(options: AgreeOptions) -> Result[RaterAgreement]:
    """How far raters agree: people's answers in ``vote`` or in CSV, and judges' verdicts on the same items.

    Kept in EXP/lab/agree.json. Raises UserError if neither an experiment nor a file is given, and if no two raters
    rated the same thing.
    """
    ratings, judges = paths_in(options.ratings), split_names(options.judges)
    if options.experiment is None and not ratings:
        raise UserError("Nothing to compare: name an experiment's folder, or a file with --ratings CSV.")
    if judges and not ratings:
        raise UserError("--judges says how to read a file: add --ratings CSV.")
    experiment = None if options.experiment is None else folder_of(options.experiment)
    opinions: list[Opinion] = [] if experiment is None else opinions_of(experiment)
    claims = [opinion.item for opinion in opinions if opinion.question.scale == SUPPORT]
    opinions += read_all(ratings, judges, claims)
    with busy("comparing raters"):
        agreement = agreement_of(opinions)
    if not agreement.pairs():
        raise UserError("No two raters rated the same thing: people rate in drretail vote, or in a file (--ratings).")
    parts, account = [*tables.agreement_parts(agreement)], _rated_by_two(opinions)
    accounts = [account] if account.n_left_out else []
    if experiment is None:
        return Result(agreement, agreement.document(), parts, accounts=accounts)
    flags = {"--ratings": ratings, "--judges": ",".join(judges) or None}
    document = keep(experiment, agreement, [VOTES, *verdict_folders(experiment)], flags)
    has_voted = any(opinion.kind == "person" for opinion in opinions)
    hints = [] if has_voted else [f"Nobody has voted yet: drretail vote {experiment} asks people."]
    return Result(agreement, document, parts, hints=hints, accounts=accounts)


def _rated_by_two(opinions: Sequence[Opinion]) -> Account:
    """People's answers, by whether anybody else answered the same."""
    account = Account("agree", "answer")
    times = Counter((opinion.question, opinion.item) for opinion in opinions)
    for opinion in opinions:
        if opinion.kind == "person":
            account.take()
            if times[opinion.question, opinion.item] > 1:
                account.use()
            else:
                account.leave_out("nobody else rated it", f"{opinion.rater}, {opinion.item}")
    return account


@accepts(CorrectOptions)
def correct(options: CorrectOptions) -> Result[Correction]:
    """Corrects FP and win rates by people's labels, with 95% intervals.

    Kept in EXP/lab/correct.json. Raises UserError if nobody labelled anything, and if several judges have verdicts and
    none is named.
    """
    experiment, labels = folder_of(options.experiment), paths_in(options.labels)
    correction = correction_of(experiment, options.judge, labels)
    judged = [path for metric in ("faithfulness", "pairwise") for path in verdict_folders(experiment, metric)]
    flags = {"--labels": labels, "--judge": options.judge}
    document = keep(experiment, correction, [VOTES, *judged], flags)
    return Result(correction, document, [*tables.correction_parts(correction, read_definition(experiment).systems)])


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


@accepts(SampleOptions)
def sample(options: SampleOptions) -> Result[Sample]:
    """Draws claims for people to label into the plan of ``vote`` and into a sheet. The sheet doesn't show the judge's
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
    write_atomically(path, sheet_of(experiment, claims))
    by_system = dict(sorted(Counter(claim.system for claim in claims).items()))
    drawn_sample = Sample(path, len(claims), by_system, LEAST_LABELS)
    notes = [f"{counted(len(claims), 'claim')} in {path}: label full, partial, none or contradicted; blank: no label."]
    systems = ", ".join(f"{system} {count:,}" for system, count in by_system.items())
    notes.append(f"By system: {systems}. lab correct needs {counted(LEAST_LABELS, 'label')} of each.")
    if len(claims) < options.n:
        notes.append(f"That is fewer than the {options.n:,} asked for: no other claim has a verdict.")
    notes += [
        f"In the browser: drretail vote {experiment} --n {options.n}. Then: drretail lab correct {experiment}.",
        f"Or fill in the sheet. Then: drretail lab correct {experiment} --labels {path}.",
    ]
    return Result(drawn_sample, {**asdict(drawn_sample), "path": str(path)}, notes=notes, path=path)


@accepts(CardOptions)
def card(options: CardOptions) -> Result[Sequence[JudgeCard]]:
    """How often each judge is right about claims that people labelled, asked as ``score`` asks it.

    Kept in EXP/lab/cards; ``score`` shows it beside the judge's scores from then on. Raises UserError if ``to`` holds
    no experiment.
    """
    to = Path(options.to)
    if not (to / "experiment.json").is_file():  # the card is read beside scores, and there would be none
        raise UserError(f"{to} holds no experiment: --to names one that drretail run or drretail import made.")
    # Each set needs a name of its own: a name that repeats is numbered.
    times: Counter[str] = Counter()
    whole = [read_labelled(path) for path in paths_in(options.labels)]
    for at, labelled in enumerate(whole):
        times[labelled.name] += 1
        if times[labelled.name] > 1:
            whole[at] = replace(labelled, name=f"{labelled.name} {times[labelled.name]}")
    if options.retry not in (None, "failed"):
        raise UserError(f"--retry {options.retry}: only failed is asked again.")
    opener = Opener(read_settings(), options.base_url)
    judges = judges_for([FAITHFULNESS], options.judge, opener, options.model_profile)
    chosen = [drawn(labelled, options.n, options.seed) for labelled in whole]
    folder, pairs, again = cards_folder(to), list(product(judges, chosen)), options.retry or "nothing"
    models = [judge.model for judge in judges if judge.model is not None]
    allowance = allowance_for([folder], models, options.max_tokens, options.max_dollars)
    folder.mkdir(parents=True, exist_ok=True)
    total = sum(len(labelled.claims) for _, labelled in pairs)
    with locked_folder(folder), choose_progress().track("judging labelled claims", total) as bar:
        for judge, labelled in pairs:
            try:
                run_loop(judge_labelled(folder, labelled, judge, again=again, allowance=allowance, bar=bar))
            except CapReached:
                allowance.cut += 1
    sets = list(zip(chosen, whole, strict=True))
    costs = {judging.folder: judging.cost.dollars for judging in judging_costs(folder)}
    cards = [card_of(folder, sets, judge, options.seed, costs.get(judge.slug)) for judge in judges]
    kept = [keep_card(to, judge, judge_card) for judge, judge_card in zip(judges, cards, strict=True)]
    document = {"cards": [judge_card.document() for judge_card in cards]}
    # Claims that it leaves undecided are no fault of a judge that decided others.
    left = sum(
        part.failed + part.unasked + (0 if part.n else part.undecided)
        for judge_card in cards
        for part in judge_card.sets
    )
    hint = f"Kept in {', '.join(str(path) for path, _ in kept)}; drretail score puts it beside every FP of the judge."
    notes = [*filter(None, (*(replaced for _, replaced in kept), allowance.closing))]
    return Result(cards, document, [*tables.cards_parts(cards)], left=left, notes=notes, hints=[hint])
