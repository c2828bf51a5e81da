"""A judge held against people's labels, and what its card says. Also tests commands.py and tables.py."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from drretail.addons.lab.card import (
    LabelledClaim,
    LabelledSet,
    card_lines,
    finding_lines,
    read_cards,
    read_labelled,
    set_card,
    words_alone,
)
from drretail.addons.reproduction.verify import score_finding
from drretail.cli.app import app
from drretail.errors import UserError
from drretail.eval.metrics.faithfulness import METRIC
from drretail.eval.numbers.file import derive_scores
from drretail.eval.numbers.gathering import gather
from drretail.viewer.tables.scores import score_tables
from tests import build
from tests.addons.lab.test_correction import called
from tests.build import LABEL, experiment, known

SAID = ("The lamp costs $25.", "The lamp is rated 4.5 stars.", "The lamp costs $21.49.", "The lamp is rated 3.1 stars.")
SOURCE = '{"product_id":"B0LAMP","category":"Home","title":"Red Lamp","price":25,"average_rating":4.5}'
LABELS = ("full", "full", "contradicted", "none")


def written(path: Path, rows: Sequence[Sequence[str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("claim", "source", "label"), *rows])
    return path


def labels(folder: Path, times: int = 1) -> Path:
    rows = [
        (claim.replace("The", "The" + " red" * at), SOURCE, label)
        for at in range(times)
        for claim, label in zip(SAID, LABELS, strict=True)
    ]
    return written(folder / "mine.csv", rows)


def compared(*given: object) -> str:
    ended = CliRunner().invoke(app, ["compare", *map(str, given)])
    assert ended.exception is None, ended.exception
    return " ".join(ended.stdout.split())


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """An experiment of one report, which nobody judged."""
    return experiment(tmp_path / "bare", {LABEL: {"q1-r1": "A report."}})


def carded(*given: object) -> str:
    return called("card", "--labels", *given)


def bench(path: Path, claim: str) -> Path:
    """A file with one claim of AttributionBench."""
    row = {"claim": claim, "references": [SOURCE], "attribution_label": "attributable"}
    path.write_text(json.dumps(row), encoding="utf-8")
    return path


def test_public_layouts_are_told_by_their_fields(tmp_path: Path) -> None:
    bench = {"claim": "c", "references": ["r", "s"], "attribution_label": "not attributable", "question": "q"}
    wice = {"claim": "c", "evidence": ["a", "b"], "label": "partially_supported", "supporting_sentences": []}
    found: list[LabelledSet] = []
    for row in (bench, wice):
        path = tmp_path / "rows.jsonl"
        path.write_text(json.dumps(row) + "\n", encoding="utf-8")
        found.append(read_labelled(path))
    assert [labelled.name for labelled in found] == ["AttributionBench", "WiCE"]
    assert [labelled.claims[0].label for labelled in found] == ["none", "partial"]
    assert found[0].claims[0].sources == ("r", "s")
    assert found[1].claims[0].sources == ("a\nb",)
    assert [len(labelled.labels) for labelled in found] == [2, 3]


def test_a_file_that_is_no_set_is_told_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    for text, message in (
        ("claim,source,label\nA lamp.,It is.,maybe\n", "line 2: no label"),
        ("claim,source,label\nA lamp.,,full\n", "line 2 has no source"),
        ("claim,label\nA lamp.,full\n", "What is read"),
        ("claim,source,label\nA lamp.,It is.,\n", "holds no labelled claim"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(UserError, match=message):
            read_labelled(path)


def test_no_claim_is_told_by_a_threshold_that_was_chosen_on_it() -> None:
    words = ("lamp", "chair", "table", "shelf", "mirror", "carpet", "curtain", "pillow")
    claims = [
        LabelledClaim(" ".join(words), (" ".join(words[: 1 + at % 8]) + f" {at}",), "full" if at % 3 else "none")
        for at in range(14)
    ]
    before = words_alone(LabelledSet("s", tuple(claims)), "1")
    for at, claim in enumerate(claims):
        other = LabelledClaim(claim.claim, claim.sources, "full" if claim.label == "none" else "none")
        changed = [*claims[:at], other, *claims[at + 1 :]]
        assert words_alone(LabelledSet("s", tuple(changed)), "1")[other.item] == before[claim.item]


def test_failed_verdicts_are_counted_and_in_no_statistic() -> None:
    claims = tuple(LabelledClaim(f"lamp {at}", (f"lamp {at}",), "full" if at < 6 else "none") for at in range(12))

    values = [1, 1, 1, 1, 1, None, 0, 0, 0, 0, 1, 0.5]
    verdicts = {
        claim.item: build.verdict("faithfulness", "support", claim.item, value, "failed" if value is None else "scored")
        for claim, value in zip(claims, values, strict=True)
    }
    labelled = LabelledSet("s", claims, ("full", "none"))
    card = set_card(labelled, labelled, verdicts, "1")
    assert (card.n, card.failed, card.unasked) == (11, 1, 0)
    assert card.figure("balanced_accuracy").value == pytest.approx((1 + 5 / 6) / 2)
    assert card.confusion["none"] == {"full": 1, "partial": 1, "none": 4}


def test_where_every_label_agrees_there_is_an_interval_and_of_two_claims_there_is_none(
    bare: Path, tmp_path: Path
) -> None:
    two = written(tmp_path / "two.csv", [("Lamp: $25.", SOURCE, "full"), ("The cat costs $21.49.", SOURCE, "none")])
    of_two = carded(two, "--to", bare, "-q")
    (line,) = card_lines(bare).values()
    assert "two: 1.00 of 2 claims, too few for an interval" in line
    assert "The judge is level with words alone on two" in of_two
    assert "below" not in of_two

    rows = [("Red " * n + "lamp: $25.", SOURCE, "full") for n in range(8)]
    rows += [(f"The {'blue ' * n}cat costs $21.49.", SOURCE, "none") for n in range(8)]
    rows.append(("The lamp is toxic.", SOURCE, "none"))
    of_many = carded(written(tmp_path / "many.csv", rows), "--to", bare, "-q")
    found = read_cards(bare)[0].sets[-1]
    accuracy, kappa = found.figure("balanced_accuracy"), found.figure("kappa")
    assert (accuracy.value, accuracy.ci_high) == (1, 1)
    assert 0.7 < known(accuracy.ci_low) < 0.9, "eight of each that are right do not show that all would be"
    assert (kappa.value, kappa.ci_high) == (1, 1)
    assert 0.4 < known(kappa.ci_low) < 0.7, "sixteen claims that agree do not show that all would"
    assert "1.00–1.00" not in f"{line}{of_two}{of_many}"


def test_a_judge_that_decides_no_claim_has_no_figures_and_the_command_says_so(bare: Path, tmp_path: Path) -> None:
    vague = written(tmp_path / "vague.csv", [("The lamp is lovely.", "A page.", "full")])
    ended = CliRunner().invoke(app, ["lab", "card", "--labels", str(vague), "--to", str(bare), "-q"])
    assert ended.exit_code == 3
    assert "No claim of vague has a verdict: the judge decided none of 1 claim." in ended.stdout
    assert "people: full" not in ended.stdout


def test_a_card_keeps_earlier_sets_of_the_same_seed(bare: Path, tmp_path: Path) -> None:
    first, second = bench(tmp_path / "dev.jsonl", SAID[0]), bench(tmp_path / "test.jsonl", SAID[1])
    carded(first, "--labels", second, "--to", bare, "-q")
    assert [part.file for part in read_cards(bare)[0].sets] == ["dev.jsonl", "test.jsonl"]
    other = written(tmp_path / "other.csv", [(SAID[0], SOURCE, "full")])
    for given in (labels(tmp_path), other, other):
        carded(given, "--to", bare, "-q")
    (card,) = read_cards(bare)
    assert [(part.name, part.n) for part in card.sets[2:]] == [("mine", 4), ("other", 1)]
    given = ["lab", "card", "--labels", str(other), "--to", str(bare), "-q", "--seed", "7"]
    said = " ".join(CliRunner().invoke(app, given).stderr.split())
    assert "It replaced the card of offline:judge with the seed 42, on AttributionBench, Attrib" in said
    assert [part.name for part in read_cards(bare)[0].sets] == ["other"]


def test_a_second_card_asks_nothing(bare: Path, tmp_path: Path) -> None:
    carded(labels(tmp_path), "--to", bare, "-q")
    journals = [*(bare).rglob("*.journal.jsonl")]
    before = [journal.read_bytes() for journal in journals]
    document = json.loads(carded(labels(tmp_path), "--to", bare, "-q", "--json"))
    assert [journal.read_bytes() for journal in journals] == before
    (card,) = document["cards"]
    assert card["sets"][0]["n"] == 4
    lines = [json.loads(line) for path in bare.rglob("labels.jsonl") for line in path.read_text("utf-8").splitlines()]
    asked_in = {(line["stage"], line["metric"], line["prompt_hash"]) for line in lines}
    assert asked_in == {("support", "faithfulness", card["prompt_hash"])}, "in the words of the metric"


def test_a_judges_line_stands_in_comparisons_and_scores_and_no_card_makes_scores_differ(
    exp: Path, tmp_path: Path
) -> None:
    done = CliRunner().invoke(app, ["score", str(exp), "--metrics", "checks", "-q"])
    assert (done.exit_code, score_finding(exp).state) == (0, "equal")
    carded(labels(tmp_path, 5), "--to", exp, "-q")
    text = "beside people's labels"
    assert text not in compared(exp)
    # From now on the card is of the judge that scored the experiment.
    judge = next(assessor.judge for assessor in gather(exp, [METRIC]).assessors("faithfulness"))
    (path,) = (exp / "lab" / "cards").glob("*.json")
    card = json.loads(path.read_text(encoding="utf-8")) | {"judge": judge.model_dump()}
    path.write_text(json.dumps(card), encoding="utf-8")
    assert score_finding(exp).state == "equal"
    for more in (["zephyr", "quartz"], [], ["--details"]):
        assert f"{judge.spec} {text}" in compared(exp, *more), more
    assert judge.key in json.loads(compared(exp, "--json"))["judges"]
    scores = derive_scores(exp, [METRIC], judge_notes=card_lines(exp))
    line = card_lines(exp)[judge.key]
    assert line in known(scores.scoreboard).notes
    table = next(table for table in score_tables(scores.scores, scores.metrics) if judge.spec in table.by)
    assert line in table.notes
    path.write_text("{", encoding="utf-8")
    assert derive_scores(exp, [METRIC]).scores
    assert "cannot be read" in finding_lines(exp)[0]
