"""A web for each query, by commands. Tests score.py, agents/running/system.py and viewer/tables/ablations.py."""

import json
from pathlib import Path

import pytest

from drretail.experiments.experiment import kept_sources, read_definition
from tests.cli.commands import Command, ErrorOf
from tests.cli.conftest import queries as queries
from tests.cli.conftest import shop as shop
from tests.cli.test_web import RUN
from tests.cli.test_web import sandbox as sandbox

SMALL, LARGE = "react@offline-shopper-size-32k", "react@offline-shopper-size-64k"


@pytest.mark.usefixtures("sandbox")
def test_sizes_and_compositions_are_systems_of_one_experiment(
    succeeds: Command, error_of: ErrorOf, tmp_path: Path
) -> None:
    ran = succeeds(*RUN, "--vary", "size=32k,64k", "--vary", "compose=all,no_distractor", "--no-pages")
    assert "No --queries given: those of s/queries.jsonl are asked." in ran.stderr
    assert "Next: drretail score exp --metrics dr3 --gold s" in ran.stderr
    exp = tmp_path / "exp"
    assert {SMALL, LARGE} < {*read_definition(exp).systems}
    fetching = ("score", "exp", "--metrics", "faithfulness", "--fetch-sources", "--web")
    assert "read fixed pages (sandbox" in error_of(*fetching, "sandbox")
    for command in (
        (*fetching, "sandbox:s"),
        ("score", "exp", "--metrics", "dr3", "--gold", "s"),
        ("report", "exp"),
    ):
        succeeds(*command)
    by = ("compare", "exp", "--metrics", "dr3:FA", "--by")
    (table,) = json.loads(succeeds(*by, "size", "--json").stdout)["size"]
    assert [cell["part"] for cell in table["rows"][0]["cells"]] == ["32k", "64k"]
    assert json.loads(succeeds(*by, "compose", "--json").stdout)["compose"]
    assert "two values of web" in error_of(*by, "web")
    assert sorted(page.url for page in kept_sources(exp)) == ["https://good.example/", "https://old.example/"]
