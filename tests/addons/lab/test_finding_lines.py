"""Findings of the lab beside the scores: a line each, and of stale ones that they are. Tests card.py."""

import shutil
from pathlib import Path

import pytest

from drretail.addons.lab.card import content_hash, finding_lines, verdict_folders
from tests.addons.lab.test_correction import as_judged, called, filled


def test_a_finding_is_stale_once_what_it_rests_on_changes_and_names_its_command_with_its_files(
    exp: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called("correct", exp, "--labels", filled(exp, as_judged(exp)))
    (line,) = finding_lines(exp)
    for at, changed in enumerate(("verdicts/faithfulness", "votes")):
        other = tmp_path / str(at)
        shutil.copytree(exp, other)
        (other / changed).mkdir(exist_ok=True)
        path = next((other / changed).rglob("*.jsonl"), other / changed / "ann.jsonl")
        path.write_text((path.read_text(encoding="utf-8") if path.exists() else "") + "{}\n", encoding="utf-8")
        (text,) = finding_lines(other)
        assert text.startswith(f"Stale, since {changed}")
        assert text.endswith(line)
    with monkeypatch.context() as patched:
        patched.setattr("drretail.addons.lab.card.installed", lambda metric: None)
        assert finding_lines(exp)[0].startswith("Stale, since verdicts/faithfulness/")
    called("sample", exp, "--n", 3)
    assert finding_lines(exp) == [line], "the plan of view changes nothing"
    shutil.rmtree(exp / "verdicts" / "faithfulness")
    (line,) = finding_lines(exp)
    assert line.startswith("Stale, since verdicts/faithfulness/")
    assert f": drretail lab correct {exp} --labels {exp / 'filled.csv'} makes it anew." in line


def test_a_damaged_or_older_file_is_a_line_that_names_its_command(exp: Path) -> None:
    (exp / "lab").mkdir()
    for text in ("{", "[]", '{"format": 1, "values": []}', '{"format": 9}', '{"line": 3}', ""):
        (exp / "lab" / "agree.json").write_text(text, encoding="utf-8")
        (line,) = finding_lines(exp)
        assert f"drretail lab agree {exp} makes it again" in line, text


def test_the_same_verdicts_are_the_same_content_whatever_their_journals_and_order(exp: Path, tmp_path: Path) -> None:
    folders = verdict_folders(exp)
    assert folders
    before = [content_hash(exp, folder) for folder in folders]
    (exp / folders[0] / "q1-r1.journal.jsonl").write_text('{"seconds":1}\n', encoding="utf-8")
    for path in (exp / "verdicts").rglob("*.jsonl"):
        lines = path.read_text(encoding="utf-8").splitlines()
        path.write_text("\n".join(reversed(lines)) + "\n", encoding="utf-8")
    assert [content_hash(exp, folder) for folder in folders] == before
    changed = next(path for path in (exp / folders[0]).rglob("*.jsonl") if "journal" not in path.name)
    changed.write_text(changed.read_text(encoding="utf-8") + "{}\n", encoding="utf-8")
    assert content_hash(exp, folders[0]) != before[0]
