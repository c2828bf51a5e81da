"""Nothing of a seller, page, user's file, imported report or claim reaches a model or a judge in a form of a prompt's.

Read from the requests themselves, as they stand in the journals of runs and of judges.
"""

# pyright: reportPrivateUsage=false

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from drretail.agents.names import BUILT_IN
from drretail.agents.registry import load_agent
from drretail.agents.running.run import run_systems
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest
from drretail.env.session import Session, SessionSettings
from drretail.env.users import default_pool
from drretail.env.web.sandbox import SandboxPage, SandboxWeb
from drretail.env.world import OrderRow, World, world_at
from drretail.eval.judging.session import Judge
from drretail.eval.registry import METRICS, PAIRWISE, load_metric
from drretail.eval.scoring import ScoringPlan, score_experiment
from drretail.event_loop import run_loop
from drretail.experiments.journal import read_effects
from drretail.llm.registry import build_model
from drretail.llm.scripted import scripted_model
from drretail.querygen.by_model.pages import Material
from drretail.querygen.by_model.prompt import PromptBuilder
from drretail.querygen.by_model.targets import Target
from drretail.querygen.lint import Linter
from drretail.records.query import Query
from drretail.records.shop import Product
from drretail.records.wish import Want, Wish
from drretail.reports.text.evidence_ids import web_evidence_id
from drretail.tools.registry import TOOLS
from drretail.tools.toolkit import Toolkit
from tests.agents.conftest import calls, reporting
from tests.build import build_world
from tests.hostile_strings import HONEST, HOSTILE, arrived, got_through
from tests.shop import JANUARY, USER

ALL = "\n".join([one.text for one in HOSTILE] + list(HONEST))
URL = "https://birds.example/feeders"
PRODUCTS = [
    Product(
        product_id=f"B0TEST000{number}", title=f"Bird feeder {number} {ALL}", features=(ALL,), description=(ALL,),
        price=20.0 + number, average_rating=4.5, rating_number=100, store=ALL, categories=("Garden", ALL),
        category="Garden", details={ALL: ALL, "More": [ALL, {"Deep": ALL}]},
    )
    for number in range(1, 4)
]  # fmt: skip
CALLS: dict[str, dict[str, Any]] = {
    "product_catalog_search": {"query": "bird feeder"},
    "get_product_details": {"product_id": "B0TEST0001"},
    "get_user_orders": {"user_id": USER},
    "get_order_details": {"order_id": "0000000001"},
    "get_user_profile": {"user_id": USER},
    "update_user_profile": {"user_id": USER, "first_name": "Ada"},
    "get_user_statistics": {"user_id": USER},
    "web_search": {"query": "bird feeder"},
    "calculator": {"expression": "1 + 1"},
}
SILENT = {"calculator"}
"""It repeats nobody."""
ASKED = "\n".join(["Which bird feeder under $30?", *(one.text for one in HOSTILE if one.kind != "id")])
"""A shopper, and the writer of a report, may name what the shop has by its id."""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("hostile") / "world"
    pool = default_pool().model_copy(update={"last_names": (ALL,), "streets": (ALL,)})
    orders = [OrderRow("0000000001", USER, "B0TEST0001", JANUARY), OrderRow("0000000002", USER, "B0TEST0002", JANUARY)]
    build_world(folder, PRODUCTS, orders, pool=pool)
    with world_at(folder, web=SandboxWeb([SandboxPage(url=URL, title=ALL, text=f"Bird feeder. {ALL}")])) as opened:
        yield opened


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    (folder / USER).mkdir()
    (folder / USER / "notes.txt").write_text(ALL, encoding="utf-8")
    return folder


def requests_in(*journals: Path) -> list[str]:
    """What models were sent: each message, and the tools with it."""
    return [
        message["content"] if isinstance(message["content"], str) else json.dumps(message, ensure_ascii=False)
        for journal in journals
        for effect in read_effects(journal)
        for message in effect.request.get("messages", [])
    ]


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_no_tool_hands_out_what_poses_as_a_prompt(shop: World, name: str) -> None:
    session = Session(
        SessionSettings(shop, user_id=USER, web_mode="ws")
    )  # a snippet is too short for all texts, a page is not
    toolkit = Toolkit(session)
    replies = [toolkit.call(name, CALLS[name]).text]
    evidence = [text.text for entry in session.ledger.evidence() for text in entry.texts]
    read = "\n".join([*replies, *evidence, *(entry.title for entry in session.ledger.evidence())])
    assert got_through(read) == set()
    if name not in SILENT:
        assert len(arrived(read)) >= 40, "the texts did not arrive, so that nothing was tested"


def test_honest_texts_keep_their_bytes_in_a_product_s_record(shop: World) -> None:
    toolkit = Toolkit(Session(SessionSettings(shop, user_id=USER)))
    value = toolkit.call("get_product_details", CALLS["get_product_details"]).value
    assert [text for text in HONEST if text not in value["features"][0]] == []


@pytest.mark.parametrize("name", [*BUILT_IN, "react+ws"])
def test_no_agent_s_request_holds_what_poses_as_a_prompt(shop: World, files: Path, tmp_path: Path, name: str) -> None:
    query = Query(query_id="q", user_id=USER, text=ASKED, source="test")
    plain, web_mode = (name.removesuffix("+ws"), "ws" if name.endswith("+ws") else "snippets")
    system = SystemUnderTest.of(name, load_agent(plain), {"": build_model("offline:shopper")}, shop, web_mode=web_mode)
    run_loop(Runner(shop, "w", files=files).run(system, query, journal=tmp_path / "journal.jsonl"))
    requests = requests_in(tmp_path / "journal.jsonl")
    assert len(requests) > 2
    assert got_through("\n".join(requests)) == set()
    assert len(arrived("\n".join(requests))) == len(HOSTILE)


def test_no_judge_s_request_holds_what_poses_as_a_prompt(shop: World, tmp_path: Path) -> None:
    """The report repeats all that was read, as a model may, and a judge's own claims repeat the report."""
    texts = [one.text.strip() for one in HOSTILE if one.kind != "id"]
    report = "\n\n".join(f"The feeder is a good one {text} [P:B0TEST0001] [{web_evidence_id(URL)}]." for text in texts)
    turns = [
        calls(*((name, CALLS[name]) for name in ("get_product_details", "get_user_statistics", "web_search"))),
        reporting(f"{report}\n\nIt costs $21.00 [P:B0TEST0001].", "P:B0TEST0001 x 1"),
    ]
    model = scripted_model(play=lambda request: turns[request.turn - 1], kind="llm")
    systems = [SystemUnderTest.of(name, load_agent("react"), {"": model}, shop) for name in ("react", "react_again")]
    query = Query(query_id="q", user_id=USER, text=ASKED, source="test")
    run_systems(tmp_path / "exp", Runner(shop, "w"), systems, [query])
    judge = Judge.of(scripted_model("").with_chat(build_model("offline:shopper").chat))
    metrics = [name for name in METRICS if load_metric(name).needs_judge]
    run_loop(score_experiment(ScoringPlan(tmp_path / "exp", (*metrics, PAIRWISE), [judge], store=shop.store)))
    journals = sorted((tmp_path / "exp" / "verdicts").rglob("*.journal.jsonl"))
    requests = requests_in(*journals)
    assert len(requests) > 2 * len(metrics)
    assert got_through("\n".join(requests)) == set()
    assert len(arrived("\n".join(requests))) == len(HOSTILE)


SHOPPER = Target("written", 1, user_id=USER)
TYPED = Query(
    query_id="q",
    user_id=USER,
    text=ASKED,
    source="test",
    rationale=ALL,
    wish=Wish(wants=(Want(name=ALL, kinds=(ALL,)),)),
)
BUILDERS: dict[str, Callable[[World], Iterable[object]]] = {
    "querygen writes": lambda shop: PromptBuilder(shop, Linter(shop)).messages(SHOPPER),
    "querygen writes for nobody": lambda shop: PromptBuilder(shop, Linter(shop)).messages(
        Target("generic", 1, category=ALL)
    ),
    "querygen types": lambda shop: [
        PromptBuilder(shop, Linter(shop)).text_to_type(TYPED, Material(sentences=(ALL,)), again=True)
    ],
}
"""What fills the prompts of all that asks a model beside agents and judges."""


@pytest.mark.parametrize("name", BUILDERS)
def test_no_other_prompt_holds_what_poses_as_one(shop: World, name: str) -> None:
    holds_nothing_that_poses_as_a_prompt(BUILDERS[name](shop))


def holds_nothing_that_poses_as_a_prompt(made: Iterable[object]) -> None:
    read = "\n".join(part.text if isinstance(part, BaseMessage) else str(part) for part in made)
    assert got_through(read, ("tag", "token", "turn")) == set()  # ids are evidence for agents alone
    assert len(arrived(read)) >= 40, "the texts did not arrive, so that nothing was tested"
