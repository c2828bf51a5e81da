"""Every command that asks a model, with a real one: an hour on a busy machine, so only ``-m real_model`` runs it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "real_model.py"


@pytest.mark.real_model
@pytest.mark.timeout(4 * 3600)
def test_with_a_real_model_nothing_hangs_and_nothing_is_lost(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    if "real_model" not in (pytestconfig.getoption("-m") or ""):
        pytest.skip("it takes up to an hour: ask for it with -m real_model")
    model = os.environ.get("DRRETAIL_REAL_MODEL")
    named = ["--model", model] if model else []
    environment = ["--environment", str(SCRIPT.parents[1] / ".real-model")]
    ran = subprocess.run(
        [sys.executable, str(SCRIPT), "--to", str(tmp_path / "out"), *named, *environment], check=False
    )
    assert ran.returncode == 0, (tmp_path / "out" / "steps.md").read_text(encoding="utf-8")
