"""Copies with planted errors are an experiment of which nothing was edited."""

import shutil
from pathlib import Path

import pytest

from drretail import score
from drretail.addons.lab.plant.copies import make_copies
from drretail.env.world import World
from tests.api.test_verify import exp, honest, unmade_in, world

__all__ = ["exp", "honest", "world"]


def test_copies_with_planted_errors_are_not_called_edited(
    exp: Path, world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_copies(exp, world.store, seed="1", per_kind=1)
    planted = Path(shutil.move(exp / "lab" / "planted", tmp_path / "planted"))
    score(planted, ["checks"], world=world)
    assert unmade_in(planted, world) == {"verdicts"}
    assert "drretail verify" not in capsys.readouterr().err
