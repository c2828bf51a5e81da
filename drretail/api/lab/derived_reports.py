"""``lab bias``, ``exploits`` and ``plant``: what judges make of reports whose worth is known."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from drretail.api.judges import world_of
from drretail.api.lab.judging import Judging, LabEstimate, LabResult, again_of
from drretail.api.option import accepts
from drretail.api.options.lab import BiasOptions, ExploitsOptions, PlantOptions
from drretail.api.options.shared import folder_of, names_in
from drretail.env.store.base import Store
from drretail.eval.judging.pairs import pair_name
from drretail.eval.judging.spending import Allowance
from drretail.event_loop import run_loop
from drretail.experiment import locked
from drretail.lab.bias.probe import Case, Probe, Reports, ask, asked_folder, bias_folder, choose_reports
from drretail.lab.bias.probe import make_copies as copy_probed
from drretail.lab.bias.probes import bias_found, estimate_probe, families_of, has_opinions, named_probes, probe_found
from drretail.lab.exploits.headline_gaps import FAMILIES, compare_with_honest, exploits_folder, make_exploits
from drretail.lab.kept_findings import VOTES, keep, verdict_folders
from drretail.lab.opinions import judge_name
from drretail.lab.plant.copies import make_copies, planted_folder
from drretail.lab.plant.recall import CHECKS, FAITHFULNESS, recall_of
from drretail.lab.trial_findings import BiasFound, ExploitsFound, PlantedErrors, PlantedFound
from drretail.progress import busy, choose_progress


@contextmanager
def _store(options: PlantOptions | ExploitsOptions) -> Generator[Store | None]:
    """The products of the runs' world; None if it is not at hand."""
    with world_of(folder_of(options.experiment), options.world) as shop:
        yield None if shop is None else shop.store


@accepts(PlantOptions)
def plant(options: PlantOptions) -> PlantedFound:
    """Plants one error in each copy of good reports, and counts the errors that checks and judges find.

    The copies are an experiment of their own, EXP/lab/planted; the result is kept in EXP/lab/plant.json. Raises
    UserError if no report can be copied, and for a cap on a judge without a price.
    """
    return plant_with(options).finding


def plant_with(options: PlantOptions) -> LabResult[PlantedFound]:
    """``plant``, with what the command prints beside the result."""
    experiment = folder_of(options.experiment)
    judging = Judging.of([CHECKS, FAITHFULNESS], options.judge, options, keyless=False)
    folder = planted_folder(experiment)
    with _store(options) as store:
        errors = _planted(options, store)
        left, notes = judging.score(folder, store, judging.allowance([folder]))
    found = recall_of(folder, errors, [judge_name(judge.ref, "default") for judge in judging.judges])
    left += sum(finder.failed + finder.unasked for finder in found.everything.found.values())
    document = keep(experiment, "plant", found, verdict_folders(experiment, within=folder.relative_to(experiment)))
    hint = f"The copies are an experiment of their own: {folder}; what was planted where: planted.json in it."
    return LabResult(found, document, left, notes, hint)


def estimate_plant(options: PlantOptions) -> LabEstimate:
    """What judging the copies is likely to take. The copies are made."""
    judging = Judging.of([CHECKS, FAITHFULNESS], options.judge, options, keyless=True)
    with _store(options) as store:
        _planted(options, store)
        return judging.estimate(planted_folder(folder_of(options.experiment)))


def _planted(options: PlantOptions, store: Store | None) -> PlantedErrors:
    given = None if options.given is None else Path(options.given)
    with choose_progress().track("planting errors") as bar:
        return make_copies(
            folder_of(options.experiment),
            store,
            seed=options.seed,
            per_kind=options.per_kind,
            of=options.of,
            given=given,
            bar=bar,
        )


@accepts(ExploitsOptions)
def exploits(options: ExploitsOptions) -> ExploitsFound:
    """Makes worthless reports out of each honest one, scores both, and says which metrics each of them fools.

    They are an experiment of their own, EXP/lab/exploits; the result is kept in EXP/lab/exploits.json. Raises UserError
    for a folder without an experiment, and for a wrong name.
    """
    return exploits_with(options).finding


def exploits_with(options: ExploitsOptions) -> LabResult[ExploitsFound]:
    """``exploits``, with what the command prints beside the result."""
    experiment = folder_of(options.experiment)
    judging = Judging.of(FAMILIES, options.judge, options, keyless=False)
    folder = exploits_folder(experiment)
    with _store(options) as store:
        with busy("making reports"):
            honest = make_exploits(experiment, store, of=options.of)
        left, notes = judging.score(folder, store, judging.allowance([folder]))
    found = compare_with_honest(folder, honest)
    document = keep(experiment, "exploits", found, verdict_folders(experiment, within=folder.relative_to(experiment)))
    hint = f"The reports are an experiment of their own: drretail view {folder}."
    return LabResult(found, document, left, notes, hint)


def estimate_exploits(options: ExploitsOptions) -> LabEstimate:
    """What judging the worthless reports is likely to take. The reports are made."""
    judging = Judging.of(FAMILIES, options.judge, options, keyless=True)
    experiment = folder_of(options.experiment)
    with _store(options) as store, busy("making reports"):
        make_exploits(experiment, store, of=options.of)
    return judging.estimate(exploits_folder(experiment))


@accepts(BiasOptions)
def bias(options: BiasOptions) -> BiasFound:
    """Measures known biases of a judge: each effect with its 95 % interval over queries.

    The reports, with copies of half and twice their length, are an experiment of their own, EXP/lab/bias; the result is
    kept in EXP/lab/bias.json. Raises UnknownName for an unknown probe.
    """
    return bias_with(options).finding


def bias_with(options: BiasOptions) -> LabResult[BiasFound]:
    """``bias``, with what the command prints beside the result."""
    experiment = folder_of(options.experiment)
    probes, judging, cases, reports = _bias_cases(options, keyless=False)
    folder = bias_folder(experiment)
    allowance = judging.allowance([folder, asked_folder(folder)])
    left, notes = 0, list[str]()
    if judging.families:
        pairs, floors = [pair_name(pair) for pair in reports.pairs], any(probe.with_floors for probe in probes)
        left, notes = judging.score(folder, None, allowance, pairs=pairs, rate_floors=floors)
    failed, more = _ask_probes(cases, probes, allowance, options)
    rows = [probe_found(case, probe) for case in cases for probe in probes]
    left += sum(row.failed + row.unasked for row in rows)
    found = bias_found(reports, rows, experiment / "lab" / "bias.json")
    within = folder.relative_to(experiment)
    own = [path for place in (within, asked_folder(within)) for path in verdict_folders(experiment, within=place)]
    document = keep(experiment, "bias", found, [VOTES, *verdict_folders(experiment, "quality"), *own])
    hint = f"The reports and their copies are an experiment of their own: drretail view {folder}."
    return LabResult(found, document, left + failed, [*notes, *more], hint)


def estimate_bias(options: BiasOptions) -> LabEstimate:
    """What the probes are likely to take. The copies are made."""
    probes, judging, cases, reports = _bias_cases(options, keyless=True)
    found = (estimate_probe(case, probe) for case in cases for probe in probes)
    return judging.estimate(
        bias_folder(folder_of(options.experiment)),
        pairs=[pair_name(pair) for pair in reports.pairs],
        rate_floors=any(probe.with_floors for probe in probes),
        more=[estimate for estimate in found if estimate is not None],
    )


def _bias_cases(options: BiasOptions, *, keyless: bool) -> tuple[list[Probe], Judging, list[Case], Reports]:
    """The probes, the judges, each judge's case, and the reports. Makes the copies of the reports."""
    experiment = folder_of(options.experiment)
    probes = named_probes(",".join(names_in(options.probes)))
    reports, folder = choose_reports(experiment, limit=options.limit, seed=options.seed), bias_folder(experiment)
    # quality makes sure that judges are opened, even if no probe reads a family's verdicts
    judging = Judging.of(["quality"], options.judge, options, keyless=keyless)
    judging = replace(judging, families=families_of(probes, with_pairs=bool(reports.pairs)))
    copy_probed(experiment, reports, with_lengths=any(probe.with_lengths for probe in probes))
    today = datetime.now(UTC).date().isoformat()
    pin = None if options.pin is None else Path(options.pin)
    cases = [Case(experiment, folder, judge, reports, options.seed, today, pin, keyless) for judge in judging.judges]
    return probes, judging, cases, reports


def _ask_probes(
    cases: Sequence[Case], probes: Sequence[Probe], allowance: Allowance | None, options: BiasOptions
) -> tuple[int, list[str]]:
    """Asks the probes' own questions. Returns how many answers are missing or unusable, and sentences about them."""
    allowance = allowance or Allowance()
    was_closed, failed, notes = allowance.closing is not None, 0, list[str]()
    pending = [(case, probe) for case in cases if has_opinions(case) for probe in probes]
    with choose_progress().track("probing", len(pending)) as bar:
        for case, probe in pending:
            with locked(case.folder):
                failed += run_loop(ask(case, probe, again=again_of(options.retry), allowance=allowance))
                probe.keep(case)
            bar.advance()
    if allowance.closing is not None and not was_closed:
        notes.append(allowance.closing)
        failed += 1
    if failed:
        notes.append(f"Of the probes' own questions {failed:,} have no answer of use: --retry failed asks again.")
    return failed, notes
