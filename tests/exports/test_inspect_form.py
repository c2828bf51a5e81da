"""Logs of inspect_ai as a form of export; what stands in them is tested in tests/inspect."""

from pathlib import Path

import pytest

from drretail.errors import UserError
from drretail.exports import formats
from drretail.exports.formats import export
from drretail.exports.selection import Selection


def test_without_inspect_one_sentence_says_what_to_install(
    exp: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(_: str) -> None:
        return None

    monkeypatch.setattr(formats, "find_spec", absent)
    with pytest.raises(UserError, match=r"pip install 'drretail\[inspect\]'"):
        export(Selection.of(exp), "inspect", tmp_path / "logs")


def test_runs_without_a_report_are_in_the_log_and_floors_are_not(exp: Path, tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="no inspect_ai: pip install inspect-ai")
    said = export(Selection.of(exp), "inspect", tmp_path / "logs")
    assert said == "2 logs of 4 runs"
    assert {path.name for path in (tmp_path / "logs").iterdir()} == {
        "hybrid_react@offline-shopper.eval",
        "react@offline-shopper.eval",
    }


def test_nothing_left_is_told(exp: Path, tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="no inspect_ai: pip install inspect-ai")
    selection = Selection.of(exp)
    selection.systems = ()
    with pytest.raises(UserError, match="No run of"):
        export(selection, "inspect", tmp_path / "logs")
