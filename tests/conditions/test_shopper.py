"""What a system is told of the shopper by somebody's memory."""

import shutil
from pathlib import Path
from typing import Any

import pytest

import drretail
from drretail.agents.names import BUILT_IN
from drretail.conditions.shopper import ShopperRecord
from drretail.errors import UserError
from drretail.eval.compare.ablations import tables_of_experiment
from drretail.experiment import read_definition, read_journal, read_runs
from drretail.files import read_jsonl, write_lines
from drretail.records.base import canonical_json
from drretail.records.query import Query
from drretail.records.run import OwnCondition
from drretail.viewer.tables.ablations import ablation_table
from tests.build import files, known
from tests.shop import JANUARY, USER, build_shop

ROOT = Path(__file__).parents[2]
MINE = Query(query_id="q1", user_id=USER, text="Which bird feeder?", source="test")
NOBODYS = Query(query_id="q2", text="Which bird bath?", source="test")
TEXT = "Has ordered 2 times."


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The examples' modules in the folder that one stands in."""
    for name in ("shopper_memory.py", "hurry_condition.py"):
        shutil.copy(ROOT / "examples" / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)


def module(name: str, text: str) -> str:
    """Writes a module and gives the place of its function ``recall``."""
    Path(f"{name}.py").write_text(text, encoding="utf-8")
    return f"{name}:recall"


def made(
    tiny_shop: Path,
    agents: str = "react",
    queries: Query = MINE,
    to: str = "exp",
    *,
    replay: str | None = None,
    cross: bool = False,
    **vary: str,
) -> Path:
    """An experiment by the values of conditions."""
    shared: dict[str, Any] = {"replay": replay, "cross": cross, "baselines": False}
    drretail.run(tiny_shop, [queries], agents, "offline:shopper", to=to, vary=vary, **shared)
    return Path(to)


@pytest.mark.parametrize("agent", BUILT_IN)
def test_every_agent_is_told_the_text_in_the_place_of_the_users_tools(tiny_shop: Path, agent: str) -> None:
    exp = made(tiny_shop, agent, information="memory", memory="shopper_memory:newest")
    ((label, system),) = read_definition(exp).systems.items()
    assert (system.information, system.options["without"]) == ("memory", ["user"])
    (folder,) = (exp / "runs" / label).iterdir()
    asked = [effect.request for effect in read_journal(folder) if effect.kind == "model"]
    texts = "\n".join(str(message["content"]) for request in asked for message in request["messages"])
    assert "<memory>\nLives in" in texts
    assert TEXT in texts
    assert "get_user_orders" not in {step.name for run in read_runs(exp) for step in run.steps}


COUNTING = """
import pathlib

async def recall(record, question):
    path = pathlib.Path('asked')
    path.write_text(path.read_text() + 'x' if path.exists() else 'x')
    return question
"""


def test_a_changed_module_is_another_system_and_a_replay_does_not_ask_it_again(tiny_shop: Path, tmp_path: Path) -> None:
    place = module("counting", COUNTING)
    first = made(tiny_shop, memory=place)
    again = made(tiny_shop, to="again", memory=place, replay="exp")
    assert (tmp_path / "asked").read_text() == "x"
    assert [run.report for run in read_runs(first)] == [run.report for run in read_runs(again)]
    changed = made(
        tiny_shop, to="changed", memory=module("other", "def recall(record, question):\n    return 'liked'\n")
    )
    (system,), (other,) = (read_definition(exp).systems.values() for exp in (first, changed))
    assert (system.options["memory"][0], other.options["memory"][0]) == (place, "other:recall")
    assert system.options["memory"][1] != other.options["memory"][1]


def test_verify_serves_what_the_memory_told_without_the_memory(tiny_shop: Path, tmp_path: Path) -> None:
    exp = made(tiny_shop, information="memory,tools", memory="shopper_memory:newest")
    beside = made(tiny_shop, to="beside", memory="shopper_memory:newest")
    (tmp_path / "shopper_memory.py").unlink()
    for folder in (exp, beside):
        found = drretail.verify(folder)
        assert [mismatch.line for mismatch in found.failures] == []
        assert {check.check: check.state for check in found.checks}["replay"] == "pass"
    (journal,) = beside.glob("runs/*/*/journal.jsonl.gz")
    lines = list(read_jsonl(journal))
    next(line for line in lines if line["kind"] == "memory")["response"] = "Likes red."
    write_lines(journal, map(canonical_json, lines))
    assert {check.check for check in drretail.verify(beside).checks if check.failed} >= {"replay", "tools"}


def test_the_record_holds_what_the_shop_knew_on_that_day(tiny_shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[ShopperRecord] = []

    def recall(record: ShopperRecord, question: str) -> str:
        seen.append(record)
        return question

    monkeypatch.setattr("examples.shopper_memory.newest", recall)
    made(tiny_shop, memory="examples.shopper_memory:newest")
    (record,) = seen
    assert [order.timestamp for order in record.orders] == [JANUARY, JANUARY + 86_400_000]
    assert set(record.products) == {"B0TEST0004", "B0TEST0001"}
    assert record.profile.user_id == USER
    assert record.today.timestamp() * 1000 >= record.orders[-1].timestamp


def test_compare_shows_a_column_for_each_memory(tiny_shop: Path) -> None:
    other = module("other", "def recall(record, question):\n    return 'nothing'\n")
    exp = made(tiny_shop, information="memory", memory=f"shopper_memory:newest,{other}")
    made(tiny_shop, information="task,tools")
    drretail.score(exp, "process")
    (table, *_) = tables_of_experiment(exp, "information")
    (row,) = table.rows
    memories = ["memory other:recall", "memory shopper_memory:newest"]
    names = [column.name for column in ablation_table(table).columns]
    assert names == ["task only", *(f"with {memory}" for memory in memories), "with tools"]
    assert [cell.part for cell in row.cells] == ["task", *memories, "tools"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"memory": "nothing"}, "module:attribute"),
        ({"memory": "no_such_module:recall"}, "there is no module 'no_such_module'"),
        ({"memory": "shopper_memory:newst"}, "Did you mean newest"),
        ({"memory": "shopper_memory:MOST"}, "a function of a ShopperRecord"),
        ({"information": "task", "memory": "shopper_memory:newest"}, "a memory is told with information=tools"),
        ({"information": "memory", "memory": "shopper_memory:newest", "queries": NOBODYS}, "has no user"),
    ],
)
def test_what_is_wrong_is_one_sentence_before_anything_runs(
    tiny_shop: Path, given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(UserError, match=sentence):
        made(tiny_shop, **given)


@pytest.mark.parametrize(
    ("body", "message"), [("return 7", "gave int in place of a text"), ("raise KeyError('who')", "failed: KeyError: ")]
)
def test_a_memory_that_fails_fails_its_run_which_verify_leaves_open(tiny_shop: Path, body: str, message: str) -> None:
    place = module(f"bad_{len(body)}", f"def recall(record, question):\n    {body}\n")
    exp = made(tiny_shop, memory=place)
    (run,) = read_runs(exp)
    assert known(run.error).kind == "agent"
    assert f"the memory {place} {message}" in known(run.error).message
    assert known(run.error).where == f"the memory {place}" or "raise" not in body
    found = drretail.verify(exp)
    assert [mismatch.line for mismatch in found.failures] == []
    left = {mismatch.reason for check in found.checks if check.check == "replay" for mismatch in check.unchecked}
    assert left == ({"its memory failed it, and no journal says how"} if "raise" in body else set())


PLACE = "hurry_condition:HURRY"
PLAIN, HURRIED = "react@offline-shopper", "react@offline-shopper-hurry-yes"


@pytest.fixture
def exp(tmp_path: Path) -> Path:
    """The agent under both values of the example's condition."""
    build_shop(tmp_path / "w")
    ran("exp")
    return tmp_path / "exp"


def ran(to: str, replay: str | None = None) -> None:
    drretail.run(
        "w", ["A bird bath, please."], "react", user=USER, to=to, vary={PLACE: "no,yes"}, replay=replay, baselines=False
    )


def test_a_condition_of_ones_own_changes_the_task_and_has_a_label_tables_and_a_place_on_the_page(exp: Path) -> None:
    systems = read_definition(exp).systems
    assert {label: system.conditions for label, system in systems.items()} == {
        PLAIN: {},
        HURRIED: {"hurry": OwnCondition(place=PLACE, default="no")},
    }
    (folder,) = (exp / "runs" / HURRIED).iterdir()
    first = next(effect for effect in read_journal(folder) if effect.kind == "model")
    assert "A bird bath, please. I am in a hurry" in str(first.request)
    scores = drretail.score(exp, "faithfulness")
    assert {row.system for row in scores.scores} == {PLAIN, HURRIED}
    (options,) = (exp / "options").iterdir()
    assert drretail.read_experiment(options)["vary"] == {PLACE: "no,yes"}

    (exp.parent / "hurry_condition.py").unlink()  # whoever reads the experiment need not have it
    compared = drretail.compare(exp, by="hurry")
    assert [cell.part for cell in compared.settings[0].rows[0].cells] == ["no", "yes"]
    with pytest.raises(UserError, match=r"no condition 'redakt'\. Did you mean redact"):
        drretail.compare(exp, by="redakt")
    drretail.report(exp)
    page = (exp / "report.html").read_text(encoding="utf-8")
    assert 'id="by-hurry"' in page
    assert PLACE in page


def test_a_replay_makes_it_again_and_verify_leaves_it_open_without_loading_it(exp: Path) -> None:
    ran("again", replay="exp")
    assert files(exp.parent / "again", "run.json") == files(exp, "run.json")
    (exp.parent / "hurry_condition.py").write_text("raise SystemExit", encoding="utf-8")
    found = drretail.verify(exp)
    assert [mismatch.line for mismatch in found.failures] == []
    left = {(check.check, each.file.split("/")[1]) for check in found.checks for each in check.unchecked}
    assert {("replay", HURRIED), ("tools", HURRIED)} <= left
    assert not {("replay", PLAIN), ("tools", PLAIN)} & left


def test_a_value_that_it_lacks_is_refused_before_anything_runs(exp: Path) -> None:
    with pytest.raises(UserError, match=r"no value of hurry 'yess'\. Did you mean yes"):
        drretail.run("w", ["A bird bath, please."], to="other", vary={PLACE: "yess"})
    assert not Path("other").exists()
