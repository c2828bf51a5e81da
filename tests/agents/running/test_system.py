"""What makes a system, and what it is told. Also tests agents/information.py and agents/registry.py."""

from pathlib import Path

import pytest

from drretail.agents.registry import NO_OVERRIDES, Overrides, load_agent, prompt_files, read_overrides, with_pages
from drretail.agents.running.run import Batch, open_for_writing
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest, client_options, prompt_hashes, suts
from drretail.env.world import World
from drretail.errors import UserError
from drretail.eval.metrics.checks import CHECKS
from drretail.eval.metrics.process import expected_tools
from drretail.eval.metrics.readings import reading_of
from drretail.experiments.experiment import prompts_path, read_definition
from drretail.llm.prompt import packaged_text, write_prompt_files
from drretail.llm.registry import build_model
from drretail.records.run import Information, Limits
from drretail.tools.registry import FAMILIES, TOOLS
from tests.agents.conftest import QUERY, calls, record, reporting, scripted, sut, under
from tests.agents.grounded_hybrid.staging import WISH
from tests.build import subject
from tests.shop import USER

SEARCH = ("product_catalog_search", {"query": "bird feeder"})


def test_a_wrong_name_is_told_the_right_ones(world: World) -> None:
    with pytest.raises(UserError, match=r"Did you mean user\?"):
        client_options(["users"])
    with pytest.raises(UserError, match=r"needs a model for researcher: .* It has no supervisor"):
        sut(world, {"supervisor": scripted()[0]})


@pytest.mark.parametrize(
    ("agent", "label"),
    [
        ("plan_to_function", "plan_to_function@offline-shopper-tokens9"),
        ("react", "react@offline-shopper-tool_turns3-tokens9"),
        ("hybrid_react", "hybrid_react@offline-shopper-researchers2-tool_turns3-tokens9"),
        ("grounded_hybrid", "grounded_hybrid@offline-shopper-researchers2-tool_turns3-tokens9-repairs0"),
    ],
)
def test_a_limit_that_changes_nothing_makes_no_other_system(world: World, agent: str, label: str) -> None:
    limits = Limits(researchers=2, tool_turns=3, rag_turns=2, tokens=9, repairs=0)
    assert sut(world, build_model("offline:shopper"), agent, limits=limits).label == label


TOLD = QUERY.model_copy(update={"persona": "Pets: two finches", "context": "Bought: finch seed"})


@pytest.mark.parametrize(
    ("setting", "seen", "unseen"),
    [
        ("task", (), ("finches", "finch seed", USER)),
        ("context", ("finch seed",), ("finches", USER)),
        ("persona", ("two finches",), ("finch seed", USER)),
        ("tools", (USER,), ("finches", "finch seed")),
    ],
)
def test_a_setting_says_what_a_run_is_told(
    world: World, setting: Information, seen: tuple[str, ...], unseen: tuple[str, ...]
) -> None:
    model, shown = scripted(calls(SEARCH), reporting("Nothing suits."))
    (player,) = under(sut(world, model), world, TOLD, information=setting)
    run = record(world, player, TOLD).run
    text = str(shown[0].messages)
    assert all(each in text for each in seen)
    assert not any(each in text for each in unseen)
    left = set(TOOLS) if setting == "tools" else set(TOOLS) - FAMILIES["user"]
    assert shown[0].tool_names == left
    assert len(set(TOOLS) - FAMILIES["user"]) == len(TOOLS) - 5
    assert run.user_id == USER  # whoever judges knows for whom the report is


def test_what_was_not_offered_is_not_counted_against_a_run(world: World) -> None:
    model, _ = scripted(calls(SEARCH), reporting("The bath [P:B0TEST0004].", "P:B0TEST0004"))
    (player,) = under(sut(world, model), world, information="task")
    query = TOLD.model_copy(update={"expected_tools": ("get_user_orders", "product_catalog_search"), "wish": WISH})
    recorded = record(world, player, query)
    judged = subject(recorded.run, recorded.evidence, system=player.system, query=query, store=world.store)
    assert expected_tools(judged) == {"product_catalog_search"}
    assert judged.case.owned == frozenset()
    assert CHECKS["recommended_although_owned"].lacks(judged.case, reading_of(judged)) == "the run was shown no orders"


@pytest.fixture
def terse(tmp_path: Path) -> Path:
    """All prompts written out, and what is said of a report's form changed."""
    folder = tmp_path / "terse"
    write_prompt_files(folder, prompt_files(with_pages().values()))
    (folder / "report_form.md").write_text("# The report\nThree sentences.\n\n", encoding="utf-8")
    return folder


def test_an_agent_comes_plain_and_reading_pages_by_either_name_also_one_that_asks_no_model() -> None:
    agents = with_pages(["react+ws", "null_empty"])
    assert [*agents] == ["react", "react+ws", "null_empty", "null_empty+ws"]
    assert ["summariser" in agent.roles for agent in agents.values()] == [False, True, False, True]
    assert ["summarise_page.md" in prompt_files([agent]) for agent in agents.values()] == [False, True, False, True]


def overrides(folder: Path, *agents: str) -> Overrides:
    return read_overrides(folder, [load_agent(name) for name in agents or ("react",)])


def test_prompts_are_written_as_they_are_packaged_and_never_over_a_changed_one(tmp_path: Path, terse: Path) -> None:
    files = prompt_files(with_pages().values())
    assert {"react.md", "picks.md", "hybrid_react/report.md", "summarise_page.md"} <= files.keys()
    write_prompt_files(tmp_path / "all", files)
    assert all((tmp_path / "all" / name).read_text("utf-8") == packaged_text(path) for name, path in files.items())
    with pytest.raises(UserError, match=r"report_form\.md is there already"):
        write_prompt_files(terse, prompt_files([load_agent("react")]))
    assert "Three sentences" in (terse / "report_form.md").read_text(encoding="utf-8")


def test_systems_side_by_side_are_each_told_their_own_words_which_label_run_and_folder_hold(
    world: World, terse: Path, folder: Path
) -> None:
    seen, players = [], []
    for its in (NO_OVERRIDES, overrides(terse)):
        model, shown = scripted(calls(SEARCH), reporting("A feeder [P:B0TEST0001]."))
        players.append(sut(world, model, overrides=its))
        seen.append(shown)
    with open_for_writing(folder, world, [QUERY], players, "42") as experiment:
        Batch(Runner(world, "w"), experiment, 2).run_all(players, [QUERY])
    plain, changed = ([request.messages[0].text for request in shown] for shown in seen)
    assert (len(plain), len(changed)) == (2, 2)
    assert all("600 to 900 words" in text and "Three sentences" not in text for text in plain)
    assert all("600 to 900 words" not in text and "Three sentences" in text for text in changed)

    label = players[1].label
    assert label == f"{players[0].label}-prompts-terse"
    recorded = read_definition(folder).systems[label].prompts
    assert recorded is not None
    assert (recorded.name, recorded.hashes.keys()) == ("terse", {"report_form.md"})
    hashes = read_definition(folder).prompt_hashes[label]
    assert hashes == prompt_hashes(players[1])
    assert hashes["react"] != prompt_hashes(players[0])["react"]
    assert hashes["conclude"] == prompt_hashes(players[0])["conclude"]
    assert overrides(prompts_path(folder, label, "terse")).as_record() == recorded


def test_an_agent_that_is_told_none_of_the_changed_prompts_stays_the_system_it_was(world: World, terse: Path) -> None:
    (terse / "report_form.md").unlink()
    (terse / "react.md").write_text("Answer in {{turns}} turns.", encoding="utf-8")
    model, _ = scripted()
    agents = {name: load_agent(name) for name in ("react", "plan_to_function")}
    changed, other = suts(agents, {"": model}, world, overrides(terse))
    assert (changed.system.prompts is not None, other.system.prompts) == (True, None)
    assert other.label == SystemUnderTest.of("plan_to_function", agents["plan_to_function"], {"": model}, world).label
    with pytest.raises(UserError, match=r"terse changes react\.md, which no agent of this run is told"):
        suts({"plan_to_function": agents["plan_to_function"]}, {"": model}, world, overrides(terse))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("reakt.md", "x", r"reakt\.md overrides no prompt\. Did you mean .*react\.md"),
        ("react.md", "Answer.", r"lacks the placeholder \{\{turns\}\}"),
        ("picks.md", "{{citing}}", r"has the placeholder \{\{citing\}\}.*it may have none"),
        ("react.md", " \n", "is blank"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_one_sentence(terse: Path, name: str, text: str, message: str) -> None:
    (terse / name).write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        overrides(terse)


def test_a_folder_that_changes_nothing_is_refused_and_hidden_files_are_none(tmp_path: Path) -> None:
    write_prompt_files(tmp_path / "same", prompt_files([load_agent("react")]))
    (tmp_path / "same" / ".DS_Store").write_bytes(b"\xff")
    with pytest.raises(UserError, match=r"No prompt in .* differs"):
        overrides(tmp_path / "same")
    with pytest.raises(UserError, match=r"There is no folder .*drretail prompts --to"):
        overrides(tmp_path / "missing")


def test_prompts_that_changed_under_the_same_name_are_named(world: World, terse: Path, folder: Path) -> None:
    model, _ = scripted()
    open_for_writing(folder, world, [QUERY], [sut(world, model, overrides=overrides(terse))], "42").close()
    (terse / "report_form.md").write_text("Two sentences.", encoding="utf-8")
    with pytest.raises(UserError, match=r"other prompts \(.*react.*\).*folder of prompts another name"):
        open_for_writing(folder, world, [QUERY], [sut(world, model, overrides=overrides(terse))], "42")
