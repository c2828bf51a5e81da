"""Texts that many runs share, once on the page."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from drretail.experiment import read_runs, run_folder
from drretail.viewer.page.document import render_page
from drretail.viewer.page.question import SHORT, Once

SAME = re.compile(r'<details class="evidence" id="([^"]+)">(?:(?!</details>).)*data-same="(q1t\d+)"', re.S)


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


def test_a_browser_puts_the_text_where_it_is_opened(repeated: Path, tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no chromium here: apt-get install chromium")
    path = tmp_path / "page.html"
    path.write_text(render_page(repeated), encoding="utf-8")
    found = SAME.search(path.read_text(encoding="utf-8"))
    assert found is not None
    flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    flags.append("--virtual-time-budget=2000")
    done = subprocess.run(
        [browser, *flags, f"{path.as_uri()}#{found[1]}"], capture_output=True, text=True, timeout=60, check=True
    )
    opened = done.stdout[done.stdout.index(f'id="{found[1]}"') :].partition("</details>")[0]
    held = re.search(rf'<pre[^>]*id="{found[2]}">(.*?)</pre>', done.stdout, re.S)
    assert held is not None
    assert "data-same" not in opened
    assert held[1] in opened
    assert '<html lang="en" class="scripted"' in done.stdout
