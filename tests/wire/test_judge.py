"""The judge through the real clients: the same verdicts as offline, and every fault a state of its own."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from drretail.agents.running.runner import Runner
from drretail.agents.running.system import definition
from drretail.env.named_products import NamedProducts
from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.eval.baskets import made_references
from drretail.eval.check_results import Checklist
from drretail.eval.judging.question import VerdictFile
from drretail.eval.judging.session import Again, Judge
from drretail.eval.rejudging import check_verdicts
from drretail.eval.scoring import score
from drretail.experiment import Experiment
from drretail.files import read_jsonl, write_lines
from drretail.llm.registry import Model, open_model
from drretail.progress import Progress
from drretail.records.base import canonical_json
from drretail.records.run import Usage
from drretail.records.score import Scores
from tests.build import journal_usage
from tests.wire.playing import MODELS, QUERY, model_at, player
from tests.wire.server import WireServer

pytestmark = pytest.mark.anyio
METRICS = ("faithfulness", "quality")


@pytest.fixture
def folder(world: World, tmp_path: Path) -> Path:
    """An experiment with one report."""
    one = player(world, "react", open_model("offline:shopper"))
    with Experiment(tmp_path / "exp", definition(world, (QUERY,), [one], "42")) as experiment:
        asyncio.run(Runner(world, "w").run_into(experiment, one, QUERY))
    return tmp_path / "exp"


async def judge(folder: Path, world: World, *models: Model, again: Again = "nothing") -> Scores:
    table_key = [Judge.of(model) for model in models]
    return await score(folder, METRICS, table_key, store=world.store, progress=Progress(), again=again)


def said(folder: Path, model: Model) -> list[dict[str, Any]]:
    """What of verdicts is the same whoever passed the judge's words on; rules are asked for no ratings."""
    files = sorted((folder / "verdicts").glob(f"*/{Judge.of(model).slug}/*/*-r1.jsonl"))
    assert [file.parts[-4] for file in files] == [*METRICS][: 1 if model.info.kind == "rule_based" else None]
    verdicts = [verdict for file in files for verdict in VerdictFile(file).lasts()]
    shared = [verdict for verdict in verdicts if verdict.metric == "faithfulness"]
    return [verdict.model_dump(exclude={"judge", "attempt"}) for verdict in shared]


def used(folder: Path, model: Model) -> Usage:
    total = Usage()
    for journal in (folder / "verdicts").glob(f"*/{Judge.of(model).slug}/*/*.journal.jsonl"):
        total = total + journal_usage(journal)
    return total


async def test_a_real_client_changes_nothing_of_a_verdict(world: World, folder: Path) -> None:
    offline = open_model("offline:judge")
    with WireServer() as server:
        models = [model_at(server, provider) for provider in MODELS]
        await judge(folder, world, offline, *models)
        wanted = said(folder, offline)
        assert {verdict["state"] for verdict in wanted} <= {"scored", "na"}
        assert [said(folder, model) for model in models] == [wanted, wanted]
        assert server.seen.requests == sum(used(folder, model).calls for model in models)


async def test_second_verdicts_are_verified_by_their_answers(world: World, folder: Path, tmp_path: Path) -> None:
    with WireServer() as server:
        await judge(folder, world, model_at(server, "openai"))
        server.answers["Rating"] = {"justification": "So.", "rating": 3}
        await judge(folder, world, model_at(server, "openai"), again="everything")
    path = next((folder / "verdicts" / "quality").glob("*/*/*-r1.jsonl"))

    async def checked(name: str) -> Checklist:
        checklist = Checklist()
        made = Offers(world).would_do, NamedProducts(world).named_by_run, made_references(folder, world)
        await check_verdicts(folder, tmp_path / name, world.store, *made, (), checklist, Progress())
        assert checklist.checked["verdicts"] == sum(
            len(VerdictFile(file).lasts()) for file in folder.rglob("*-r1.jsonl")
        )
        return checklist

    honest = await checked("honest")
    assert (honest.failed, honest.unchecked) == ({}, {})
    lines = list(read_jsonl(path))
    assert {(line["attempt"], line["value"]) for line in lines if "value" in line} == {(1, 6), (2, 3)}
    better = [line | {"value": 9} if line["attempt"] == 2 and "value" in line else line for line in lines]
    write_lines(path, map(canonical_json, better))
    another = (await checked("another")).failed["verdicts"]
    assert {found.cause for found in another} == {"a verdict is another one when it is made again"}
    third = [line | {"attempt": 3, "value": 9} for line in lines if line["attempt"] == 2 and "value" in line]
    write_lines(path, map(canonical_json, [*lines, *third]))
    assert len((await checked("third")).failed["verdicts"]) == len(third)
