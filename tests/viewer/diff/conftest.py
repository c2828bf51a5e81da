"""One question answered by two agents whose reports are given, judged by the offline judge, and not judged."""

import shutil
from pathlib import Path

import pytest

from drretail import open_world, run, score
from drretail.records.reading import Pick
from tests.shop import USER, build_shop
from tests.viewer.voting.agents import answering

QUESTION = "Which bird feeder suits me, under $60?"
BEFORE = """## What to get
Tanagrove Tube Bird Feeder costs $24.99 [P:B0TEST0001]. It is rated 4.5 out of 5 [P:B0TEST0001].
The Tanagrove Hopper Bird Feeder is made of cedar and costs $39.50 [P:B0TEST0002].
"""
AFTER = """## What to get
The Tanagrove Tube Bird Feeder costs $24.99 [P:B0TEST0001]. It is rated 4.5 out of 5.
The Tanagrove Bird Bath <b>costs</b> $55.00 [P:B0TEST0004].
"""


AGENTS = {
    "before": answering(BEFORE, Pick(product="B0TEST0001"), Pick(product="B0TEST0002")),
    "after": answering(AFTER, Pick(product="B0TEST0001", quantity=2), Pick(product="B0TEST0004")),
}


@pytest.fixture(scope="session")
def unjudged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("diff")
    with open_world(build_shop(home / "w")) as world:
        run(world, [QUESTION], AGENTS, to=home / "exp", user=USER, baselines=False)
    return home / "exp"


@pytest.fixture(scope="session")
def compared(unjudged: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compared") / "exp"
    shutil.copytree(unjudged, folder)
    score(folder, ["faithfulness"])
    return folder
