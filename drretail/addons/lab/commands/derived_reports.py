"""``lab bias``, ``exploits`` and ``plant``: what judges make of reports whose worth is known."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from drretail.addons.lab.bias.probe import Case, Probe, Reports, ask, asked_folder, bias_folder, choose_reports
from drretail.addons.lab.bias.probe import make_copies as copy_probed
from drretail.addons.lab.bias.probes import (
    bias_found,
    estimate_probe,
    has_opinions,
    metrics_of,
    named_probes,
    probe_found,
)
from drretail.addons.lab.commands.judging import Judging
from drretail.addons.lab.exploits.headline_gaps import METRICS, compare_with_honest, exploits_folder, make_exploits
from drretail.addons.lab.kept_findings import VOTES, keep, verdict_folders
from drretail.addons.lab.opinions import judge_name
from drretail.addons.lab.options import BiasOptions, ExploitsOptions, PlantOptions
from drretail.addons.lab.plant.copies import make_copies, planted_folder
from drretail.addons.lab.plant.recall import CHECKS, FAITHFULNESS, recall_of
from drretail.addons.lab.tables import bias_parts, exploits_parts, planted_parts
from drretail.addons.lab.trial_findings import BiasFound, ExploitsFound, PlantedErrors, PlantedFound
from drretail.api.option import accepts
from drretail.api.options.shared import folder_of, names_in
from drretail.api.worlds import recorded_world
from drretail.env.world import World
from drretail.eval.judging.spending import Allowance
from drretail.eval.judging.subject import pair_name
from drretail.experiment import locked
from drretail.llm.estimates import Estimates
from drretail.llm.event_loop import run_loop
from drretail.progress import busy, choose_progress
from drretail.records.tables.result import Result

LOOKED_FOR = (CHECKS, FAITHFULNESS)
"""The metrics that find planted errors."""


@accepts(PlantOptions)
def estimate_plant(options: PlantOptions) -> Estimates:
    """What judging the copies is likely to take. The copies are made."""
    judging = Judging.of(LOOKED_FOR, options, keyless=True)
    with _world(options) as world:
        _planted(options, world)
        return judging.estimate(planted_folder(folder_of(options.experiment)))


@accepts(PlantOptions)
def plant(options: PlantOptions) -> Result[PlantedFound]:
    """Plants one error in each copy of good reports, and counts the errors that checks and judges find.

    The copies are an experiment of their own, EXP/lab/planted; the result is kept in EXP/lab/plant.json. Raises
    UserError if no report can be copied, and for a cap on a judge without a price.
    """
    experiment, judging = folder_of(options.experiment), Judging.of(LOOKED_FOR, options)
    folder = planted_folder(experiment)
    with _world(options) as world:
        errors = _planted(options, world)
        left, notes = judging.score(folder, world, judging.allowance(folder))
    recall = recall_of(folder, errors, [judge_name(judge.ref, "default") for judge in judging.judges])
    left += sum(finder.failed + finder.unasked for finder in recall.everything.found.values())
    document = keep(experiment, "plant", recall, verdict_folders(experiment, within=folder.relative_to(experiment)))
    hint = f"The copies are an experiment of their own: {folder}; what was planted where: planted.json in it."
    return Result(recall, document, [*planted_parts(recall)], left=left, notes=notes, hints=[hint])


def _planted(options: PlantOptions, world: World | None) -> PlantedErrors:
    with choose_progress().track("planting errors") as bar:
        return make_copies(
            folder_of(options.experiment),
            world and world.store,
            seed=options.seed,
            per_kind=options.n,
            of=options.system,
            bar=bar,
        )


@accepts(ExploitsOptions)
def estimate_exploits(options: ExploitsOptions) -> Estimates:
    """What judging the worthless reports is likely to take. The reports are made."""
    judging = Judging.of(METRICS, options, keyless=True)
    with _world(options) as world:
        _made_exploits(options, world)
    return judging.estimate(exploits_folder(folder_of(options.experiment)))


@accepts(ExploitsOptions)
def exploits(options: ExploitsOptions) -> Result[ExploitsFound]:
    """Makes worthless reports out of each honest one, scores both, and says which metrics each of them fools.

    They are an experiment of their own, EXP/lab/exploits; the result is kept in EXP/lab/exploits.json. Raises UserError
    for a folder without an experiment, and for a wrong name.
    """
    experiment, judging = folder_of(options.experiment), Judging.of(METRICS, options)
    folder = exploits_folder(experiment)
    with _world(options) as world:
        honest = _made_exploits(options, world)
        left, notes = judging.score(folder, world, judging.allowance(folder))
    gaps = compare_with_honest(folder, honest)
    document = keep(experiment, "exploits", gaps, verdict_folders(experiment, within=folder.relative_to(experiment)))
    hint = f"The reports are an experiment of their own: drretail view {folder}."
    return Result(gaps, document, [*exploits_parts(gaps)], left=left, notes=notes, hints=[hint])


def _made_exploits(options: ExploitsOptions, world: World | None) -> list[str]:
    with busy("making reports"):
        return make_exploits(folder_of(options.experiment), world and world.store, of=options.system)


def _world(options: PlantOptions | ExploitsOptions) -> AbstractContextManager[World | None]:
    """The runs' world; None if it is not at hand."""
    return recorded_world(folder_of(options.experiment), options.world)


@accepts(BiasOptions)
def estimate_bias(options: BiasOptions) -> Estimates:
    """What the probes are likely to take. The copies are made."""
    probes, judging, cases, reports = _bias_cases(options, keyless=True)
    estimates = (estimate_probe(case, probe) for case in cases for probe in probes)
    more = [estimate for estimate in estimates if estimate is not None]
    return judging.estimate(bias_folder(folder_of(options.experiment)), **_asked(probes, reports), more=more)


@accepts(BiasOptions)
def bias(options: BiasOptions) -> Result[BiasFound]:
    """Measures known biases of a judge: each effect with its 95 % interval over queries.

    The reports, with copies of half and twice their length, are an experiment of their own, EXP/lab/bias; the result is
    kept in EXP/lab/bias.json. Raises UnknownName for an unknown probe.
    """
    experiment = folder_of(options.experiment)
    probes, judging, cases, reports = _bias_cases(options)
    folder = bias_folder(experiment)
    allowance = judging.allowance(folder, asked_folder(folder))
    left, notes = 0, list[str]()
    if judging.metrics:
        left, notes = judging.score(folder, None, allowance, **_asked(probes, reports))
    failed, more = _ask_probes(cases, probes, allowance, judging)
    rows = [probe_found(case, probe) for case in cases for probe in probes]
    left += sum(row.failed + row.unasked for row in rows)
    biases = bias_found(reports, rows, experiment / "lab" / "bias.json")
    within = folder.relative_to(experiment)
    own = [path for place in (within, asked_folder(within)) for path in verdict_folders(experiment, within=place)]
    document = keep(experiment, "bias", biases, [VOTES, *verdict_folders(experiment, "quality"), *own])
    hint = f"The reports and their copies are an experiment of their own: drretail view {folder}."
    return Result(biases, document, [*bias_parts(biases)], left=left + failed, notes=[*notes, *more], hints=[hint])


def _asked(probes: Sequence[Probe], reports: Reports) -> dict[str, Any]:
    """What the metrics are asked for these probes: which pairs, and whether floors are rated."""
    return {
        "pairs": [pair_name(pair) for pair in reports.pairs],
        "rate_floors": any(probe.with_floors for probe in probes),
    }


def _bias_cases(options: BiasOptions, *, keyless: bool = False) -> tuple[list[Probe], Judging, list[Case], Reports]:
    """The probes, the judges, each judge's case, and the reports. Makes the copies of the reports."""
    experiment = folder_of(options.experiment)
    probes = named_probes(",".join(names_in(options.only)))
    reports, folder = choose_reports(experiment, limit=options.n, seed=options.seed), bias_folder(experiment)
    # quality makes sure that judges are opened, even if no probe reads a metric's verdicts
    judging = Judging.of(["quality"], options, keyless=keyless)
    judging = replace(judging, metrics=metrics_of(probes, with_pairs=bool(reports.pairs)))
    copy_probed(experiment, reports, with_lengths=any(probe.with_lengths for probe in probes))
    today = datetime.now(UTC).date().isoformat()
    pin = None if options.pin is None else Path(options.pin)
    cases = [Case(experiment, folder, judge, reports, options.seed, today, pin, keyless) for judge in judging.judges]
    return probes, judging, cases, reports


def _ask_probes(
    cases: Sequence[Case], probes: Sequence[Probe], allowance: Allowance, judging: Judging
) -> tuple[int, list[str]]:
    """Asks the probes' own questions. Returns how many answers are missing or unusable, and sentences about them."""
    was_closed, failed, notes = allowance.closing is not None, 0, list[str]()
    pending = [(case, probe) for case in cases if has_opinions(case) for probe in probes]
    with choose_progress().track("probing", len(pending)) as bar:
        for case, probe in pending:
            with locked(case.folder):
                failed += run_loop(ask(case, probe, again=judging.again, allowance=allowance))
                probe.keep(case)
            bar.advance()
    if allowance.closing is not None and not was_closed:
        notes.append(allowance.closing)
        failed += 1
    if failed:
        notes.append(f"Of the probes' own questions {failed:,} have no answer of use: --retry failed asks again.")
    return failed, notes
