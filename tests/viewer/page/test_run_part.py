from html import unescape
from pathlib import Path

import pytest

from drretail.experiment import read_runs
from drretail.records.reading import Pick
from drretail.records.run import Setbacks
from tests.viewer.experiment import render_page, rewrite


def test_carts_and_what_went_wrong_on_the_way_stand_on_the_page(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (_, first, *_) = read_runs(mine)
    seen = next(one.evidence_id for one in first.citations if one.type == "product" and one.evidence_id)
    picks = (Pick(product=seen[2:], quantity=2),)
    wrong = Setbacks(lost={"synthesis": 1, "summariser": 2}, repairs={"picks": 1}, second_attempts=3, announcements=1)
    wrong = wrong.model_copy(update={"calls_from_text": 4})
    made = first.model_copy(update={"setbacks": wrong, "failed_branches": ("0.2: model: status 500",), "picks": picks})
    rewrite(mine, made)
    page = unescape(render_page(mine))
    for sentence in (
        "A branch failed: 0.2: model: status 500",
        "A provider gave no answer for 2 page summaries, 1 researcher.",
        "3 second attempts at model calls",
        "1 repair of answers that did not fit the form asked for (picks 1).",
        "1 turn announced calls and made none.",
        f"Calls read from text: 4 of {sum(step.kind == 'tool' for step in first.steps)}.",
        "Total: $",
    ):
        assert sentence in page
    rewrite(mine, first.model_copy(update={"picks": None}))
    monkeypatch.setattr("drretail.eval.judging.readings.picks_of", lambda subject: (picks, "form"))
    assert "(not declared, picks by form)" in render_page(mine)
