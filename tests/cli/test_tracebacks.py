"""Where an agent's failure came from is printed with --debug, and stands behind its run on the report page."""

import json
from pathlib import Path

from tests.cli.commands import Command

BREAKS = """
def answer(question):
    return looked_up(question)


def looked_up(question):
    raise KeyError("no such shelf")
"""


def test_an_agents_traceback_is_told_by_debug_alone_and_stands_on_the_page(
    drretail: Command, shop: str, queries: str, tmp_path: Path
) -> None:
    (tmp_path / "broken.py").write_text(BREAKS, encoding="utf-8")
    asked = ("--queries", queries, "--world", shop, "--no-floors", "--agent", "broken:answer")
    plain = drretail("run", *asked, "--to", "plain")
    result = drretail("run", *asked, "--to", "told", "--debug")
    assert "Traceback (most recent call last)" not in plain.stderr
    assert "Traceback (most recent call last)" in result.stderr
    assert "in looked_up" in result.stderr
    errors = [json.loads(path.read_text(encoding="utf-8"))["error"] for path in (tmp_path / "plain").rglob("run.json")]
    assert errors
    assert all("in looked_up" in error["traceback"] for error in errors)
    assert drretail("report", "plain", "-o", "page.html").returncode == 0
    pages = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<summary>Traceback</summary>" in pages
    assert "in looked_up" in pages
