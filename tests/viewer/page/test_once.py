"""Texts that many runs share, once on the page."""

import re
import shutil
from pathlib import Path

import pytest

from drretail.experiment import read_runs, run_folder
from drretail.viewer.page.document import render_page
from drretail.viewer.page.question import SHORT, Once


@pytest.fixture
def repeated(mine: Path) -> Path:
    """Its first run was made twice, and handed the same long source and the same results."""
    run, *_ = read_runs(mine)
    first, second = (run_folder(mine, run.system, run.query_id, repeat) for repeat in (1, 2))
    shutil.copytree(first, second)
    text = (first / "run.json").read_text(encoding="utf-8")
    again = text.replace("/q1-r1", "/q1-r2").replace('"repeat":1', '"repeat":2').replace('"repeat": 1', '"repeat": 2')
    (second / "run.json").write_text(again, encoding="utf-8")
    return mine


def test_long_texts_stand_once_and_short_ones_wherever_they_come() -> None:
    once = Once()
    long = "x" * SHORT
    first, again, other = once(long), once(long), once(f"{long}y")
    assert (first.first, again.first, other.first) == (True, False, True)
    assert first.anchor == again.anchor != other.anchor
    assert [once("short") for _ in range(2)] == [once("short")] * 2
    assert once("short").first


def test_every_link_leads_to_a_text_further_up_and_pages_start_anew(repeated: Path) -> None:
    page = render_page(repeated)
    places = {anchor: page.index(f'id="{anchor}"') for anchor in re.findall(r'data-same="(q1t\d+)"', page)}
    assert places
    for anchor, place in places.items():
        assert page.count(f'id="{anchor}"') == 1
        assert place < page.index(f'data-same="{anchor}"')
    assert render_page(repeated) == page
