"""Files of the lab as version 1.0 wrote them are read as rows, and say what they said."""

from pathlib import Path
from typing import Any

import pytest

from drretail.addons.lab.calibration import Calibration
from drretail.addons.lab.card import card_line, card_path, read_cards
from drretail.addons.lab.findings import (
    Agreement,
    BiasFound,
    Correction,
    ExploitsFound,
    Figure,
    LabFinding,
    PlantedFound,
    is_found,
)
from drretail.files import write_json

PAIR = {"scale": "rating", "dimension": "depth", "first": "ann", "second": "j", "n": 40, "n_dropped": 2, "kappa": 0.5}
FOUND = {"n": 10, "found": 4, "unjudged": 2, "failed": 1, "low": 0.2, "high": 0.7, "n_originals": 9}
VALUE = {"what": "FP", "system": "s", "judge": "j", "value": 0.6, "low": 0.5, "high": 0.7, "labels_alone": 0.55}
EFFECT = {"name": "twice minus once", "dimension": "all", "value": 1.0, "low": 0.5, "high": 1.5, "n": 9, "n_items": 18}
NEAR = {"version": "v", "n": 8, "mad": {"value": 1.0, "low": 0.5, "high": 1.5}, "pca": {}, "kappa": {}}
GAP = {"name": "FP", "value": 0.2, "honest": 1.0, "low": -0.9, "high": -0.7, "n": 9}
OLD: dict[type[LabFinding], tuple[dict[str, Any], str]] = {
    Agreement: (
        {
            "pairs": [{**PAIR, "kappa_linear": 0.64, "low": 0.61, "high": 0.67}],
            "people": [{"scale": "rating", "n_people": 2, "n_items": 9, "level": "interval", "alpha": 0.3}],
            "alignments": [{"scale": "rating", "dimension": "depth", "judge": "j", "n_reports": 6}],
        },
        "Agreement: rating depth: ann and j linear κ 0.64 (.61–.67) of 40.",
    ),
    BiasFound: (
        {
            "reports": "r",
            "probes": [
                {"probe": "length", "judge": "j", "effects": [{**EFFECT, "neutral": 0.0}], "failed": 1},
                {"probe": "drift", "judge": "j", "reason": "it needs --pin"},
            ],
        },
        "Biases of j: length: twice minus once 1.00 (0.50–1.50) on 9 queries, 1 judgement failed.",
    ),
    Calibration: (
        {
            "question": "rating: overall", "seed": "1", "split": "s", "n_tuning": 6, "n_held_out": 6, "chosen": "v",
            "tuning": [NEAR], "held_out": [NEAR],
            "gaps": [{"version": "w", "statistic": "MAD", "nearer_by": {"value": 1.0, "low": 0.1, "high": 2.0}}],
        },
        "Calibrated on rating: overall: v, chosen of 1 version on 6 queries; on 6 others MAD 1.00 (0.50–1.50); nearer "
        "to people than w by MAD 1.00 (0.10–2.00).",
    ),
    Correction: (
        {
            "values": [{**VALUE, "judged": 0.7, "n_labels": 30, "n_items": 90, "n_clusters": 9, "n_known": 2}],
            "missing": [{"what": "FP", "system": "t", "n_labels": 19, "n_needed": 20, "n_items": 90}],
            "separations": [{"a": "s", "b": "t", "difference": 0.1, "labels": 49, "labels_needed": 80}],
        },
        "FP as people would give it: s 0.60 (.50–.70), by j alone 0.70, 30 labels; t: no corrected FP from 19 labels; "
        "1 more is needed.",
    ),
    ExploitsFound: (
        {
            "honest": ["react"],
            "rows": [{"exploit": "empty", "judge": "j", "n": 9, "needed": 7, "below": [GAP], "above": [], "level": []}],
        },
        "Exploits: by j 1 of 1 are caught; above the honest reports: none.",
    ),
    PlantedFound: (
        {
            "kinds": [{"kind": "wrong price", "n": 13, "found": {"checks": FOUND}}],
            "everything": {"kind": "all", "n": 13, "found": {"checks": FOUND}},
            "alarms": [{"finder": "checks", "unit": "reports", "n": 5, "alarms": 1}],
        },
        "Planted errors: checks found 4 of 10, 0.40 (.20–.70) (2 hold no claim to judge, 1 judgement failed); in good "
        "reports faulted: checks 1 of 5 reports.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", OLD, ids=lambda kind: kind.name)
def test_a_finding_of_version_1_has_its_figures_and_its_line(tmp_path: Path, kind: type[LabFinding]) -> None:
    document, line = OLD[kind]
    (tmp_path / "lab").mkdir()
    write_json(kind.path_in(tmp_path), {"format": 1, "line": "", "rests_on": {}, "options": "", **document})
    read = kind.read(tmp_path)
    assert read is not None
    assert read.summary() == line
    write_json(kind.path_in(tmp_path), read.document())
    assert kind.read(tmp_path) == read, "what is written anew is the same"


def read_1(kind: type[LabFinding]) -> list[Figure]:
    return [*kind.model_validate({"format": 1, **OLD[kind][0]}).rows]


def test_a_finding_of_version_1_has_every_figure() -> None:
    (_, effect, _) = read_1(BiasFound)
    assert (effect.of, effect.by, effect.part, effect.count("items")) == ("length", "j", "all", 18)
    assert is_found(effect), "which had no p"
    corrected, alone, judged, few, apart = read_1(Correction)
    assert [row.value for row in (corrected, alone, judged, few, apart)] == [0.6, 0.55, 0.7, None, 0.1]
    assert (corrected.n, corrected.count("items"), corrected.n_users) == (30, 90, 9)
    assert (apart.of, apart.by, apart.n, apart.count("needed")) == ("s", "t", 49, 80)
    (whole, gap) = read_1(ExploitsFound)
    assert (whole.n, whole.count("needed"), gap.part, gap.value) == (9, 7, "below", pytest.approx(-0.8))
    assert (gap.items, gap.ci_low) == ({"exploit": 0.2, "honest": 1.0}, -0.9)
    alpha = Agreement.model_validate({"format": 1, **OLD[Agreement][0]}).where(name="alpha")[0]
    assert (alpha.value, alpha.n, alpha.count("people"), alpha.note) == (0.3, 9, 2, "interval")


def test_a_card_of_version_1_is_read(tmp_path: Path) -> None:
    none: dict[str, float] = {}
    claims = {
        "name": "dev", "n": 40, "labels": ["full", "none"], "confusion": {"full": {"full": 40}}, "people_full": 0.5,
        "balanced_accuracy": {"value": 0.8, "low": 0.7, "high": 0.9}, "kappa": none, "kappa_linear": none,
        "words_alone": {"value": 0.6}, "over_words": {"value": 0.2, "low": 0.1, "high": 0.3},
    }  # fmt: skip
    judge = {"spec": "x:y", "kind": "llm", "params_hash": ""}
    path = card_path(tmp_path, "x-y")
    path.parent.mkdir(parents=True)
    write_json(path, {"format": 1, "judge": judge, "prompt_hash": "", "version": 1, "seed": "1", "sets": [claims]})
    (card,) = read_cards(tmp_path)
    (read,) = card.sets
    assert {name: its.value for name, its in read.figures.items()} == {
        "people_full": 0.5, "balanced_accuracy": 0.8, "words_alone": 0.6, "over_words": 0.2,
    }  # fmt: skip
    assert read.figure("over_words").in_words == "0.20 (.10–.30)"
    assert read.figure("kappa").value is None
    assert "another prompt" in card_line(card)
