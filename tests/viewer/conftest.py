"""Experiments to show: one that is judged by hand, built once, and copies of it to change."""

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from drretail import run
from drretail.env.world import world_at
from drretail.experiments.experiment import read_runs
from drretail.viewer.drawing.result import Part
from drretail.viewer.output import print_part
from tests.shop import build_shop
from tests.viewer.agents import AGENTS, QUERIES
from tests.viewer.experiment import fail, judge_by_hand, record_runs


@pytest.fixture(scope="session")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs, one of them failed, with verdicts of every kind, and scores."""
    home = tmp_path_factory.mktemp("viewer")
    with world_at(build_shop(home / "world")) as world:
        record_runs(world, QUERIES, home / "exp")
    fail(home / "exp", list(read_runs(home / "exp"))[2], "no answer within 60 seconds <b>at all</b>")
    judge_by_hand(home / "exp")
    return home / "exp"


@pytest.fixture
def mine(judged: Path, tmp_path: Path) -> Path:
    """A judged experiment that a test may change."""
    return Path(shutil.copytree(judged, tmp_path / "exp"))


@pytest.fixture(scope="session")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nine reports of three systems, judged by hand, of which nothing was voted."""
    home = tmp_path_factory.mktemp("answered")
    with world_at(build_shop(home / "world")) as world:
        run(world, QUERIES, AGENTS, to=home / "exp", baselines=False)
    judge_by_hand(home / "exp")
    return home / "exp"


@pytest.fixture
def exp(answered: Path, tmp_path: Path) -> Path:
    """The same, for one test to vote on."""
    return Path(shutil.copytree(answered, tmp_path / "exp"))


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """What this prints in a terminal of that width, or what is printed of the parts that it gives."""

    def shown(width: int, show: Callable[..., Iterable[Part] | None], *given: object, **more: object) -> str:
        monkeypatch.setenv("COLUMNS", str(width))
        for part in show(*given, **more) or ():
            print_part(part)
        return capsys.readouterr().out

    return shown
