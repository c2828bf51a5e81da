"""What is asked of imported reports speaks of no shop and no shopper, and of our own shop's runs as it always did."""

import asyncio
import json
import re
from pathlib import Path

import pytest

from drretail.eval.claims.claims import EXTRACT
from drretail.eval.claims.extraction import extraction_prompt
from drretail.eval.claims.rulings import support_prompt
from drretail.eval.families.failure_modes.judge import prompt as failing
from drretail.eval.families.pairwise.questions import prompt_for as comparing
from drretail.eval.families.pqr.judge import AXES, scoring_prompt
from drretail.eval.families.quality.judge import prompt_for
from drretail.eval.families.race.judge import prompt as beside
from drretail.eval.judging.dimensions import DIMENSIONS as QUALITY
from drretail.eval.judging.external_wording import PHRASES, neutral
from drretail.eval.scoring import score
from drretail.eval.weighted.weighing import weighing_prompts
from drretail.progress import Progress
from drretail.records.base import Rules
from tests import build
from tests.build import experiment
from tests.eval.every_question import every_answer

FAMILIES = (
    *("faithfulness", "quality", "failure_modes", "reading", "pqr", "race", "dr3", "rubrics", "report_eval"),
    "pairwise",
)
SHOP = re.compile(r"shopper|shopping re|\bshop's|\bthe shop\b|\bonline shop|our shop", re.IGNORECASE)
TEXT = "Ash lasts, says page one."
PAGE = build.evidence("W:aaaaaaa1", build.text(TEXT, path="", seq=1), url="https://a.example/1", title="")
REPORT = "# Woods\n\n" + "\n\n".join(
    f"## {it}\n\n{it} lasts for years [W:aaaaaaa1]. It is best known for that. {it} is heavy." for it in ("Ash", "Elm")
)


def asked_of(
    folder: Path, *, rules: Rules = "default", families: tuple[str, ...] = FAMILIES, reference: str | None = None
) -> list[tuple[str, str]]:
    judge, asked = every_answer(rating=3)
    scoring = score(folder, families, [judge], progress=Progress(), reference=reference, rules=rules)
    asyncio.run(scoring)
    return asked


@pytest.fixture
def imported(tmp_path: Path) -> Path:
    reports = {it: {"q1-r1": f"{REPORT} {it}"} for it in ("a@model", "b@model")}
    folder = experiment(tmp_path / "exp", reports, agents=dict.fromkeys(reports, "imported"), evidence=(PAGE,))
    path = folder / "experiment.json"
    definition = json.loads(path.read_text(encoding="utf-8"))
    definition["queries"][0]["persona"] = "A carpenter."
    path.write_text(json.dumps(definition), encoding="utf-8")
    return folder


def test_no_question_of_any_family_speaks_of_a_shop_where_reports_are_imported(imported: Path) -> None:
    asked = asked_of(imported, reference="b@model")
    schemas = {title for title, _ in asked}
    assert {"Rating", "Comparison", "Sorted", "ClaimsAndPicks", "ClaimsSupport", "Grades"} <= schemas
    assert {"PairScores", "PersonalizationScores", "SubCriteria", "MarkedCriteria", "MetRequirements"} <= schemas
    told = {title: found for title, text in asked if (found := SHOP.findall(text))}
    assert told == {}
    assert any("What is known of the user:\n<profile>\nA carpenter." in text for _, text in asked)
    assert not any("Nothing is known of" in text for title, text in asked if title in ("Rating", "Comparison"))


@pytest.mark.parametrize("rules", ["paper", "drg"])
def test_nor_do_the_questions_of_other_rules(imported: Path, rules: Rules) -> None:
    asked = asked_of(imported, rules=rules, families=("faithfulness", "quality"))
    assert {title: found for title, text in asked if (found := SHOP.findall(text))} == {}


def test_runs_of_our_own_are_asked_in_the_packaged_words(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {"a@model": {"q1-r1": REPORT}}, evidence=(PAGE,))
    asked = [text for title, text in asked_of(folder, families=("quality",)) if title == "Rating"]
    shared = prompt_for("overall").shared
    begin, end = shared.partition("{{shop_url}}")[0], shared.partition("{{today}}")[0].rpartition("}}")[2]
    assert asked
    assert all(it.startswith(begin) and end in it for it in asked)


def test_every_phrase_that_has_another_elsewhere_stands_in_a_packaged_prompt() -> None:
    prompts = [prompt_for(it) for it in QUALITY]
    prompts += [comparing(it) for it in QUALITY]
    prompts += [failing(), *(support_prompt(it) for it in ("default", "paper")), extraction_prompt(EXTRACT)]
    prompts += [beside(), *(scoring_prompt(axis) for axis in AXES), *weighing_prompts(AXES)]
    whole = "\n".join(prompt.shared + prompt.text for prompt in prompts)
    assert [ours for ours, _ in PHRASES if ours not in whole] == []
    assert not any(SHOP.search(neutral(prompt).shared + neutral(prompt).text) for prompt in prompts)
