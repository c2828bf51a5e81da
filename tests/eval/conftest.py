"""Two recorded and scored experiments, made once: whoever writes into one takes a copy."""

import shutil
from pathlib import Path

import pytest

from tests.eval.scored_experiments import judged_experiment, shopped_experiment


@pytest.fixture(scope="session")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """By a judge of moods, in every metric that asks one."""
    return judged_experiment(tmp_path_factory.mktemp("judged") / "exp")


@pytest.fixture(scope="session")
def shopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three agents in a tiny shop, by code alone."""
    return shopped_experiment(tmp_path_factory.mktemp("shopped"))


@pytest.fixture
def judged_copy(judged: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(judged, tmp_path / "copy"))
