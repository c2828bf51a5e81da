"""What grounded_hybrid would strike of reports that are right, and of copies with one planted error each.

    python benchmarks/striking.py FOLDER EXPERIMENT WORLD [--verbose]

FOLDER holds numbered folders with query.json, report.md, labels.json, planted.json and planted/; EXPERIMENT the runs of
the right reports, with their ledgers; WORLD is the one that they were made in. The labelled picks are declared, and a
product that a planted error recommends besides.
"""

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from figures import hold

from drretail.agents.grounded_hybrid.drafts import Draft, Stricken, strike_out
from drretail.env.world import World, world_at
from drretail.eval.judging.subject import Subject, read_subjects
from drretail.records.reading import Pick
from drretail.shopping.verify.checks import Case

OF_PICKS = ("owned", "unwanted", "over budget", "not in the catalog")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("experiment", type=Path)
    parser.add_argument("world")
    parser.add_argument("--verbose", action="store_true", help="print each struck statement with its reason")
    asked = parser.parse_args()
    homes = {json.loads(path.read_text("utf-8"))["text"]: path.parent for path in asked.folder.glob("*/query.json")}
    counted: Counter[str] = Counter()
    with world_at(asked.world) as world:
        for subject in read_subjects(asked.experiment, world.store):
            home = homes.get(subject.query.text)
            if home is not None and subject.report == (home / "report.md").read_text("utf-8"):
                homes.pop(subject.query.text)
                measure(home, subject, world, counted, is_verbose=asked.verbose)
    hold(counted["right reports"], "the experiment holds labelled reports")
    for name, number in counted.items():
        print(f"{name:>45}: {number}")


def measure(home: Path, subject: Subject, world: World, counted: Counter[str], *, is_verbose: bool) -> None:
    """One right report and its planted copies."""
    picks = [
        Pick(product=load["product_id"], quantity=int(load["quantity"] or 1))
        for load in json.loads((home / "labels.json").read_text("utf-8"))["picks"]
    ]
    right = stricken(subject, subject.report or "", picks, world)
    counted["right reports"] += 1
    counted["right reports with a struck statement"] += bool(right.struck)
    counted["right reports that lost a pick"] += len(right.draft.case.picks or ()) < len(picks)
    for planted in json.loads((home / "planted.json").read_text("utf-8")):
        report = (home / planted["file"]).read_text("utf-8")
        besides = [Pick(product=each) for each in _recommended(planted) if each not in {pick.product for pick in picks}]
        out = stricken(subject, report, [*picks, *besides], world)
        holds = [
            planted["changed"] in finding.text or finding.evidence_id in {f"P:{b.product}" for b in besides}
            for finding in out.struck
        ]
        counted["planted errors"] += 1
        counted["whose statement was struck"] += any(holds)
        counted["other statements struck"] += holds.count(False)
        counted["words of planted reports"] += len(report.split())
        counted["words struck"] += len(report.split()) - len(out.draft.report.split())
        if is_verbose:
            print(
                home.name,
                planted["kind"],
                *(f"\n    {finding.code}: {finding.text} ({finding.found})" for finding in out.struck),
            )


def stricken(subject: Subject, report: str, picks: list[Pick], world: World) -> Stricken:
    case = Case(report, subject.evidence, subject.query, picks=tuple(picks), shop=world.store)
    return strike_out(Draft(case))


def _recommended(planted: dict[str, Any]) -> list[str]:
    of_picks = any(word in planted["kind"] for word in OF_PICKS)
    return [planted["product_id"]] if of_picks and planted["product_id"] else []


if __name__ == "__main__":
    main()
