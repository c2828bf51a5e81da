"""How well reports are read: values, picks, false alarms and planted errors, by form and with declared picks.

    python benchmarks/reading.py FOLDER [--experiment DIR] [--world DIR] [--misses] [--json FILE]

FOLDER holds numbered folders with query.json, report.md, labels.json and planted.json, and, unless they are named,
experiment.tar.xz (its runs' ledgers) and world.tar.xz. A value is right where its words, its kind and its product are
those of a label. Of a query whose wish nobody has typed, planted picks that it rules out can't be found.
"""

import argparse
import json
import tarfile
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from drretail.env.store.base import Store
from drretail.env.world import open_world
from drretail.eval.judging.subject import Subject, read_subjects
from drretail.grounding.report.citations import find_citations
from drretail.grounding.report.reading import read_by_form
from drretail.grounding.verify.findings import pick_findings, source_findings, value_findings
from drretail.grounding.verify.records import read_ledger
from drretail.records.evidence import Finding
from drretail.records.reading import Pick, Reading, ReadValue
from drretail.records.shop import VOID_STATUSES

READ = ("price", "rating", "rating_count", "date", "total", "difference", "left_over", "per_unit")
OF_PRODUCTS = ("price", "rating", "rating_count")
BY_JUDGE = frozenset(
    {"citation moved to another product", "contradicted web advice", "instruction of a page followed"}
    | {"invented feature", "old page as news"}
)
"""Planted errors that nobody expects code to find."""
OF_PICKS = ("owned", "unwanted", "over budget", "not in the catalog")
"""Planted errors that are picks: with declared picks their product is declared, too."""
GOALS = {"price": 0.65, "rating": 0.80, "rating_count": 0.60}
NOT_IN_SHOP = "B0NOTINSHOP"


@dataclass
class Tally:
    """What has been counted over all reports."""

    recall: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict[str, Counter[str]](Counter))
    values: Counter[str] = field(default_factory=Counter[str])
    picks: Counter[str] = field(default_factory=Counter[str])
    alarms: Counter[str] = field(default_factory=Counter[str])
    planted: dict[str, dict[str, Counter[str]]] = field(
        default_factory=lambda: {how: defaultdict[str, Counter[str]](Counter) for how in ("form", "declared")}
    )
    figures: Counter[str] = field(default_factory=Counter[str])
    misses: list[str] = field(default_factory=list[str])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--experiment", type=Path, help="an experiment whose runs hold these reports")
    parser.add_argument("--world", help="the world that they were made in")
    parser.add_argument("--misses", action="store_true", help="list what was missed, wrong or found")
    parser.add_argument("--json", type=Path, help="write the figures here")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        experiment = asked.experiment or unpacked(asked.folder / "experiment.tar.xz", Path(scratch))
        place = asked.world or str(unpacked(asked.folder / "world.tar.xz", Path(scratch)))
        tally = measured(asked.folder, experiment, place)
    if asked.misses:
        print(*tally.misses, sep="\n")
    figures = as_figures(tally)
    print_table(tally, figures)
    if asked.json:
        asked.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


def unpacked(archive: Path, scratch: Path) -> Path:
    """The one folder in an archive, unpacked."""
    with tarfile.open(archive) as tar:
        name = tar.getnames()[0].split("/")[0]
        tar.extractall(scratch, filter="data")
    return scratch / name


def measured(folder: Path, experiment: Path, place: str) -> Tally:
    tally, world = Tally(), open_world(place)
    by_text = {json.loads(path.read_text("utf-8"))["text"]: path.parent for path in folder.glob("*/query.json")}
    done: set[Path] = set()
    for subject in read_subjects(experiment, world.store):
        home = by_text.get(subject.query.text)
        if home is None or home in done or subject.report != (home / "report.md").read_text("utf-8"):
            continue
        done.add(home)
        Report(home, subject, world.store).measure(tally)
    tally.figures["reports"] = len(done)
    tally.figures["without a run"] = len(by_text) - len(done)
    return tally


@dataclass
class Report:
    """One report with its labels and its planted copies."""

    home: Path
    subject: Subject
    store: Store

    def measure(self, tally: Tally) -> None:
        report = (self.home / "report.md").read_text("utf-8")
        labels = json.loads((self.home / "labels.json").read_text("utf-8"))
        true = [Pick(product=it["product_id"], quantity=it["quantity"]) for it in labels["picks"]]
        reading = self.read(report)
        tally.figures.update(seen=reading.seen, read=reading.read)
        self.count_values(report, reading, labels["values"], tally)
        self.count_picks(reading, true, tally)
        honest = {"form": self.findings(report, reading.picks, by_form=True), "declared": self.findings(report, true)}
        for how, findings in honest.items():
            for finding in findings:
                tally.alarms[f"{how} {finding.severity}"] += 1
                tally.misses.append(f"{self.home.name} FALSE {how} {finding.severity} {finding.code}: {finding.said!r}")
        for plant in json.loads((self.home / "planted.json").read_text("utf-8")):
            self.count_planted(plant, true, honest, tally)

    def read(self, report: str, picks: Sequence[Pick] | None = None) -> Reading:
        return read_by_form(report, self.subject.evidence, self.ledger(picks))

    def ledger(self, picks: Sequence[Pick] | None) -> Any:
        shown = [it[2:] for it in self.subject.evidence if it[:2] == "P:"]
        ids = [*shown, *(it.product for it in picks or ())]
        products = self.store.products(ids)
        return read_ledger(self.subject.evidence, self.subject.query, products=products, picks=picks)

    def findings(self, report: str, picks: Sequence[Pick] | None, *, by_form: bool = False) -> list[Finding]:
        """All findings of a report whose picks are these; by form it is read what the report's layout says."""
        reading = self.read(report, None if by_form else picks)
        picks = reading.picks if by_form else picks
        cited = {it.evidence_id or it.marker.strip("[]") for it in find_citations(report, self.subject.evidence)}
        ids = [it[2:] for it in cited if it[:2] == "P:"] + [it.product for it in picks or ()]
        catalog = set(self.store.products(ids))
        query = self.subject.query
        orders = () if query.user_id is None else self.store.orders(query.user_id).orders
        owned = frozenset(it.product_id for it in orders if it.order_status not in VOID_STATUSES)
        found = [*value_findings(report, reading.values), *source_findings(report, self.subject.evidence, catalog)]
        if picks is not None:
            found += pick_findings(
                picks,
                report=report,
                cited=cited,
                wish=query.wish,
                owned=owned,
                ledger=self.ledger(picks),
                catalog=catalog,
                quantities_known=not by_form,
            )
        return found

    def count_values(self, report: str, reading: Reading, labels: Sequence[Mapping[str, Any]], tally: Tally) -> None:
        for label in labels:
            if label["kind"] in READ:
                hit = any(is_right(value, label) for value in reading.values)
                tally.recall[label["kind"]]["right" if hit else "missed"] += 1
                if not hit and label["kind"] in OF_PRODUCTS:
                    tally.misses.append(f"{self.home.name} {label['kind']} not read: {around(report, label)}")
        for value in reading.values:
            if value.kind in READ:
                right = any(is_right(value, label) for label in labels)
                tally.values["right" if right else "wrong"] += 1
                if not right:
                    tally.misses.append(f"{self.home.name} WRONG VALUE {value.kind}: {around(report, value)}")

    def count_picks(self, reading: Reading, true: Sequence[Pick], tally: Tally) -> None:
        wanted = {it.product for it in true}
        got = {it.product for it in reading.picks or ()}
        tally.picks.update(right=len(got & wanted), wrong=len(got - wanted), missed=len(wanted - got))
        tally.picks["reports known"] += reading.picks is not None
        if got - wanted:
            tally.misses.append(f"{self.home.name} WRONG PICK {got - wanted}")

    def count_planted(
        self, plant: Mapping[str, Any], true: Sequence[Pick], honest: Mapping[str, Sequence[Finding]], tally: Tally
    ) -> None:
        report = (self.home / plant["file"]).read_text("utf-8")
        declared = [*true, *planted_picks(plant, true)]
        for how, findings in (
            ("form", self.findings(report, None, by_form=True)),
            ("declared", self.findings(report, declared)),
        ):
            known = {(it.code, it.said) for it in honest[how]}
            new = [it for it in findings if it.severity == "error" and (it.code, it.said) not in known]
            tally.planted[how][plant["kind"]]["found" if new else "missed"] += 1
            said = ", ".join(it.code for it in new) or "missed"
            tally.misses.append(f"{self.home.name}/{plant['file']} {how} {plant['kind']}: {said}")


def planted_picks(plant: Mapping[str, Any], true: Sequence[Pick]) -> Iterator[Pick]:
    """The pick that a planted error adds, where it adds one."""
    if any(word in plant["kind"] for word in OF_PICKS):
        product = plant["product_id"] or NOT_IN_SHOP
        if product not in {it.product for it in true}:
            yield Pick(product=product)


def is_right(value: ReadValue, label: Mapping[str, Any]) -> bool:
    """True when a value says what a label does: at its place, of its kind, and of its product."""
    if value.kind != label["kind"] or value.end <= label["start"] or label["end"] <= value.start:
        return False
    products = label["of"] if isinstance(label["of"], list) else [label["of"]]
    return value.kind not in OF_PRODUCTS or {it[2:] for it in value.of} <= {
        *products,
        *(f"{it}"[2:] for it in products),
    }


def around(report: str, place: Any) -> str:
    start, end = (place["start"], place["end"]) if isinstance(place, Mapping) else (place.start, place.end)
    return repr(report[max(0, start - 40) : end + 20])


def as_figures(tally: Tally) -> dict[str, Any]:
    def share(right: int, of: int) -> float | None:
        return round(right / of, 3) if of else None

    planted = {
        how: share(
            sum(count["found"] for kind, count in kinds.items() if kind not in BY_JUDGE),
            sum(count.total() for kind, count in kinds.items() if kind not in BY_JUDGE),
        )
        for how, kinds in tally.planted.items()
    }
    return {
        "reports": tally.figures["reports"],
        "coverage": share(tally.figures["read"], tally.figures["seen"]),
        "values_precision": share(tally.values["right"], tally.values.total()),
        "recall": {kind: share(count["right"], count.total()) for kind, count in tally.recall.items()},
        "picks_precision_by_form": share(tally.picks["right"], tally.picks["right"] + tally.picks["wrong"]),
        "picks_recall_by_form": share(tally.picks["right"], tally.picks["right"] + tally.picks["missed"]),
        "false_errors": {how: tally.alarms[f"{how} error"] for how in ("form", "declared")},
        "false_warnings": {how: tally.alarms[f"{how} warning"] for how in ("form", "declared")},
        "planted_of_code": planted,
    }


def print_table(tally: Tally, figures: Mapping[str, Any]) -> None:
    print(f"{figures['reports']} reports ({tally.figures['without a run']} without a run)")
    print(f"figures read {tally.figures['read']} of {tally.figures['seen']} seen")
    print(f"values read: precision {figures['values_precision']} ({tally.values.total()} values)")
    for kind in READ:
        count = tally.recall[kind]
        goal = f"   goal {GOALS[kind]}" if kind in GOALS else ""
        print(f"  {kind:14} {count['right']:3} of {count.total():3} labelled   {figures['recall'].get(kind)}{goal}")
    print(f"picks by form: {dict(tally.picks)}; precision {figures['picks_precision_by_form']}")
    print(f"false errors {figures['false_errors']}, false warnings {figures['false_warnings']}")
    print("planted errors of code's kinds found:", figures["planted_of_code"])
    for kind in sorted(tally.planted["form"]):
        form, declared = (tally.planted[how][kind] for how in ("form", "declared"))
        note = "   (a judge's)" if kind in BY_JUDGE else ""
        print(
            f"  {kind:34} form {form['found']}/{form.total()}   declared {declared['found']}/{declared.total()}{note}"
        )


if __name__ == "__main__":
    main()
