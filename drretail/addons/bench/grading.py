"""All runs of a release in one experiment, and what each is worth."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from drretail.agents.running.run import open_experiment
from drretail.env.next_purchase import add_gold
from drretail.env.world import World
from drretail.eval.baskets import keep_references, made_references
from drretail.eval.judging.subject import read_subjects
from drretail.eval.metrics.truth import Truth, truth_of
from drretail.experiment import read_definition, run_folder
from drretail.files import made_whole, read_json, write_json
from drretail.records.query import Query


def grade(
    to: Path, systems: Mapping[str, tuple[Path, str]], world: World, queries: Sequence[Query]
) -> dict[str, dict[str, Truth]]:
    """What each planned run is worth, by label and query id. Queries without a right answer are left out.

    ``systems`` maps a label here to the system's experiment and its label there. ``to`` becomes an experiment of these
    runs with the sealed queries and their baskets. If it already holds the same systems, it is kept with its verdicts.
    """
    if not (to / "experiment.json").exists() or {*read_definition(to).systems} != {*systems}:
        with (
            made_whole(to, is_replaced=True) as made,
            open_experiment(made, world, queries, [], "42") as graded,
        ):
            add_gold(graded, world, queries)
            for new, (experiment, label) in systems.items():
                definition = read_definition(experiment)
                renamed = {
                    "systems": {new: definition.systems[label]},
                    "prompt_hashes": {new: definition.prompt_hashes.get(label, {})},
                    "code": {new: definition.code[label]} if label in definition.code else {},
                }
                graded.ask(graded.definition.model_copy(update=renamed))
                for query in queries:
                    source = run_folder(experiment, label, query.query_id, 1)
                    if (source / "run.json").exists():
                        target = run_folder(made, new, query.query_id, 1)
                        shutil.copytree(source, target)
                        named = {"system": new, "run_id": f"{new}/{query.query_id}-r1"}
                        write_json(target / "run.json", read_json(target / "run.json") | named)
    truths: dict[str, dict[str, Truth]] = {}
    references = made_references(to, world)
    keep_references(to, references)
    for subject in read_subjects(to, world.store):
        if truth := truth_of(replace(subject, whole=references[subject.query.query_id])):
            truths.setdefault(subject.label, {})[subject.query.query_id] = truth
    return truths
