"""A judge's card: how it was asked, by which model, at what cost, and who measured it."""

from dataclasses import replace
from itertools import count
from pathlib import Path

from drretail.eval.judging.session import Judge
from drretail.eval.method import NOT_MEASURED, NOT_REPEATED, method_cards
from drretail.eval.registry import load_metric
from drretail.llm.registry import open_model
from drretail.llm.scripted import Request, ScriptedAnswer, scripted_model
from drretail.viewer.tables.judges import audit_table
from tests import build
from tests.build import LABEL, experiment
from tests.eval.compare.crafted import preference


def test_a_card_has_the_method_of_a_judge_and_the_text_of_every_prompt_that_it_was_asked_by(tmp_path: Path) -> None:
    folder, asked = experiment(tmp_path / "e", {LABEL: {"q1-r1": "The bed is grey [P:B0BED00001]."}}), count()

    def played(request: Request) -> ScriptedAnswer:
        if request.schema == "Rating":  # six in a repeat
            return ScriptedAnswer(structured={"justification": "So.", "rating": 7 if next(asked) < 6 else 9})
        return ScriptedAnswer(structured={"claims": [], "picks": []})

    model = scripted_model(play=played, name="x", kind="llm")
    judge = Judge.of(replace(model, params={**model.params, "temperature": 0}))
    scores = build.scored(folder, ["quality", "faithfulness"], judge, judge_repeats=2)
    (card,) = method_cards(folder, scores)
    # Six ratings, and the claims twice, since none covers the mark; all of that twice.
    assert card.lines["Took"].startswith("16 calls, ")
    assert card.lines["Decoding"] == "temperature 0"
    assert card.lines["Times asked"].startswith("2")
    assert (
        card.lines["Noise between repeats"]
        == "standard deviation on one report: FP 0.00, supported claims 0.00, quality 1.41"
    )
    again = scores.audits[0].model_copy(update={"shares": {"same_label": (2, 3), "same_claim": (4, 6)}})
    (twice,) = method_cards(folder, scores.model_copy(update={"audits": (again,), "judgings": scores.judgings[:1]}))
    assert "same label when asked again 0.67 (n=3); same claims when" in twice.lines["Noise between repeats"]
    assert (card.lines["Answers sent back"], card.lines["Against people"]) == ("2", NOT_MEASURED)
    assert "citation marks in claims 0.00" in card.lines["Reading"]
    known = {prompt.hash: prompt.text for name in ("quality", "faithfulness") for prompt in load_metric(name).prompts()}
    assert {metric for metric, _ in card.prompts} == {"quality", "faithfulness"}
    assert all(known[prompt.hash] == prompt.text for _, prompt in card.prompts)

    described = {
        name: found.model_copy(update={"judges": {judge.ref.key: "right in 9 of 10"}})
        for name, found in scores.metrics.items()
    }
    (measured,) = method_cards(folder, scores.model_copy(update={"metrics": described}))
    assert measured.lines["Against people"] == "right in 9 of 10"
    once = build.scored(experiment(tmp_path / "once", {LABEL: {"q1-r1": "It is grey."}}), ["quality"], judge)
    (single,) = method_cards(tmp_path / "once", once)
    assert single.lines["Noise between repeats"] == NOT_REPEATED
    table = audit_table(scores.audits)
    assert [cell.text for cell in table.rows[0].cells if cell is not None][-1] == "too few figures to tell"


def test_a_judge_of_pairs_has_its_noise_between_orders_and_rules_have_no_settings(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "e", {LABEL: {"q1-r1": "It costs $5 [P:B0BED00001]."}})
    scores = build.scored(folder, ["faithfulness"], Judge.of(open_model("offline:judge")))
    (by_rules,) = method_cards(folder, scores)
    assert by_rules.lines.keys() == {"Judge", "Against people", "Reading"}
    (prompt, *_) = load_metric("faithfulness").prompts()
    pair = preference(
        judge="some:model",
        judge_kind="llm",
        prompt_hash=prompt.hash,
        version=1,
        dimension="overall",
        a="a",
        b="b",
        n_planned=4,
        n_scored=4,
    )
    flipped = pair.model_copy(update={"flip_rate": 0.5, "forfeits": 1})
    pairs = (flipped, pair.model_copy(update={"flip_rate": 0.0, "n_scored": 1}), pair)
    *_, of_pairs = method_cards(folder, scores.model_copy(update={"pairs": pairs}))
    assert of_pairs.lines["Noise between orders"] == "another answer to 38% of questions on pairs (n=4)"
