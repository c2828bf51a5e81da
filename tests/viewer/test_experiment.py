from pathlib import Path

from drretail.viewer.experiment import read_view
from tests.build import experiment


def test_the_title_names_agents_where_their_settings_would_fill_it(tmp_path: Path) -> None:
    report = {"q1-r1": "Get it."}
    sizes = [f"size-{size}" for size in ("32k", "64k", "128k")]
    names = [*(f"ant@model-{size}" for size in sizes), *(f"bee@model-files-a1b2-{size}" for size in sizes)]
    view = read_view(experiment(tmp_path / "exp", dict.fromkeys(names, report)))
    assert view.title.endswith("answered by ant and bee, 6 systems in all")
