"""A judge's card: how it was asked, by which model, at what cost, and who measured it."""

import re
import shutil
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from drretail.eval.claims.claims import EXTRACT
from drretail.eval.claims.extraction import extraction_prompt
from drretail.eval.claims.rulings import support_prompt
from drretail.eval.judging.dimensions import DIMENSIONS as QUALITY
from drretail.eval.judging.session import Judge
from drretail.eval.method import KEPT, NOT_MEASURED, PACKAGED, judge_prompt_files, method_cards, read_wording
from drretail.eval.metrics.pairwise import comparison_prompt
from drretail.eval.metrics.quality import rating_prompt
from drretail.eval.registry import load_metric, pair_metric
from drretail.experiments.experiment import read_runs
from drretail.llm.prompt import Prompt, write_prompt_files
from drretail.llm.registry import build_model
from drretail.llm.scripted import Request, ScriptedAnswer, scripted_model
from drretail.records.base import Rules
from drretail.records.score import Scores
from drretail.viewer.judged import read_judgements
from tests import build
from tests.build import LABEL, experiment, scripted_judge
from tests.eval.every_question import every_answer
from tests.eval.numbers.crafted import preference

STRICT = "Be strict: an unread report is worth nothing."


def mine(folder: Path, said: str = STRICT) -> Path:
    """A folder of all judges' prompts, one of them changed."""
    write_prompt_files(folder, judge_prompt_files())
    path = folder / "quality" / "rating.md"
    path.write_text(f"{said}\n\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    return folder


def strict_or_kind(question: str) -> dict[str, Any]:
    return {"justification": "So it is.", "rating": 2 if STRICT in question else 9}


def rated(exp: Path, judge: Judge, prompts: Path | None = None) -> Scores:
    wording = PACKAGED if prompts is None else read_wording(prompts)
    return build.scored(exp, ["quality"], judge, wording=wording)


def means(scores: Scores) -> dict[str, float | None]:
    rows = [each for each in scores.scores if each.variant == "depth"]
    return {f"{row.judge} {row.judge_params}".strip(): row.value for row in rows}


def test_a_judge_with_prompts_of_its_own_stands_beside_the_one_without_and_needs_no_folder(tmp_path: Path) -> None:
    exp = experiment(tmp_path / "exp", {LABEL: {"q1-r1": "Buy tea.", "q2-r1": "Buy milk."}})
    judge, asked = scripted_judge(strict_or_kind)
    alone = means(rated(exp, judge, mine(tmp_path / "strict")))
    (own,) = alone
    both = means(rated(exp, judge))
    assert both == {"scripted:test": 9, own: 2}
    count = len(asked)
    assert means(rated(exp, judge, tmp_path / "strict")) == both
    shutil.rmtree(tmp_path / "strict")
    assert next(each.name for each in (exp / KEPT).iterdir()).startswith("prompts-strict-")
    assert "prompts-strict" in own
    assert means(rated(exp, judge)) == both
    assert len(asked) == count
    judged = read_judgements(exp, "quality", next(read_runs(exp)))
    assert (judged.stale, len({each.by for each in judged.by_judge})) == (0, 2)


METRICS = ("faithfulness", "quality", "reading", "pairwise")
SHOP = re.compile(r"shopper|shopping re|\bshop's|\bthe shop\b|\bonline shop|our shop", re.IGNORECASE)
TEXT = "Ash lasts, says page one."
PAGE = build.evidence("W:aaaaaaa1", build.text(TEXT, path="", seq=1), url="https://a.example/1", title="")
REPORT = "# Woods\n\n" + "\n\n".join(
    f"## {one}\n\n{one} lasts for years [W:aaaaaaa1]. It is best known for that. {one} is heavy."
    for one in ("Ash", "Elm")
)


def asked_of(folder: Path, *, rules: Rules = "default", metrics: tuple[str, ...] = METRICS) -> list[tuple[str, str]]:
    judge, asked = every_answer(rating=3, sentences=1)  # no mark is left out
    build.scored(folder, metrics, judge, rules=rules)
    return asked


@pytest.fixture
def imported(tmp_path: Path) -> Path:
    reports = {each: {"q1-r1": f"{REPORT} {each}"} for each in ("a@model", "b@model")}
    agents, asked = dict.fromkeys(reports, "imported"), [build.query("q1", persona="A carpenter.")]
    return experiment(tmp_path / "exp", reports, queries=asked, agents=agents, evidence=(PAGE,))


def test_no_question_of_any_metric_speaks_of_a_shop_where_reports_are_imported(imported: Path) -> None:
    asked = asked_of(imported)
    schemas = {title for title, _ in asked}
    assert {"Rating", "Comparison", "ClaimsAndPicks", "ClaimsSupport"} <= schemas
    fields = {title: found for title, text in asked if (found := SHOP.findall(text))}
    assert fields == {}
    assert not any("Nothing is known of" in text for title, text in asked if title in ("Rating", "Comparison"))


def packaged_prompts() -> list[Prompt]:
    """The prompts of the core's metrics, by all their rules."""
    both: tuple[Rules, ...] = ("default", "paper")
    prompts = [
        prompt(each, rules) for each in QUALITY for prompt in (rating_prompt, comparison_prompt) for rules in both
    ]
    return [*prompts, *(support_prompt(each) for each in both), extraction_prompt(EXTRACT)]


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
    # A report whose marks no claim covers is not judged.
    assert card.lines["Noise between repeats"] == "standard deviation on one report: overall 1.41"
    assert (card.lines["Answers sent back"], card.lines["Against people"]) == ("2", NOT_MEASURED)
    assert "citation marks in claims 0.00" in card.lines["Reading"]
    known = {prompt.hash: prompt.text for name in ("quality", "faithfulness") for prompt in load_metric(name).prompts()}
    assert {metric for metric, _ in card.prompts} == {"quality", "faithfulness"}
    assert all(known[prompt.hash] == prompt.text for _, prompt in card.prompts)


def test_a_judge_of_pairs_has_its_noise_between_orders_and_rules_have_no_settings(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "e", {LABEL: {"q1-r1": "It costs $5 [P:B0BED00001]."}})
    scores = build.scored(folder, ["faithfulness"], Judge.of(build_model("offline:judge")))
    (by_rules,) = method_cards(folder, scores)
    assert by_rules.lines.keys() == {"Judge", "Against people", "Reading"}
    (prompt, *_) = pair_metric().prompts("paper").values()
    about: dict[str, Any] = {"version": 1, "dimension": "overall", "a": "a", "b": "b"}
    about |= {"judge": "some:model", "judge_kind": "llm", "prompt_hash": prompt.hash}
    pair = preference(n_planned=4, n_scored=4, **about)
    flipped = pair.model_copy(update={"flip_rate": 0.5, "n_scored": 3})
    pairs = (flipped, pair.model_copy(update={"flip_rate": 0.0, "n_scored": 1}), pair)
    *_, of_pairs = method_cards(folder, scores.model_copy(update={"pairs": pairs}))
    assert of_pairs.lines["Noise between orders"] == "another answer to 38% of judgements of pairs (n=4)"
    assert of_pairs.prompts == (("pairwise", prompt),)
