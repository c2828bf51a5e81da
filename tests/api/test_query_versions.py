"""Two experiments on two versions of one set of queries."""

import shutil
from pathlib import Path

import pytest

from drretail import compare, open_world, run, score
from drretail.errors import UserError
from drretail.experiment import Experiment, other_versions, read_definition, write_definition
from tests.shop import USER, build_shop
from tests.viewer.agents import DIFFERING, QUESTION


def test_experiments_on_two_versions_of_one_set_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = tmp_path / "exp"
    with open_world(build_shop(tmp_path / "w")) as world:
        run(world, [QUESTION], DIFFERING, to=first, user=USER, baselines=False)
    score(first, ["faithfulness", "checks"])
    one, two = folders = [Path(shutil.copytree(first, tmp_path / name)) for name in ("one", "two")]
    for version, folder in enumerate(folders, 1):
        definition = read_definition(folder)
        queries = [query.model_copy(update={"part_of": f"demo-50 {version}"}) for query in definition.queries]
        write_definition(folder, definition.model_copy(update={"queries": tuple(queries)}))
    compare(one, last=two, fail_if=["FP < last"])
    sentence = "The queries are of demo-50 1 here and of demo-50 2 there: a difference may come from the queries."
    assert sentence in " ".join(capsys.readouterr().err.split())
    assert other_versions(read_definition(one), read_definition(first)) == []
    with pytest.raises(UserError, match=r"one asks queries of demo-50 1, not of demo-50 2: use a new folder"):
        Experiment(one, read_definition(two))
