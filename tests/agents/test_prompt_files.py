"""Prompts that stand in for the package's, for one system and no other."""

from pathlib import Path

import pytest

from drretail.agents.registry import NO_OVERRIDES, Overrides, load_agent, prompt_files, read_overrides, with_pages
from drretail.agents.running.run import Batch, open_experiment
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest, prompt_hashes, suts
from drretail.env.world import World
from drretail.errors import UserError
from drretail.experiment import prompts_path, read_definition, read_run, run_folder
from drretail.llm.prompt import overridden, packaged_text, write_prompts
from tests.agents.conftest import QUERY, calls, reporting, scripted, sut

SEARCH = ("product_catalog_search", {"query": "bird feeder"})


@pytest.fixture
def terse(tmp_path: Path) -> Path:
    """All prompts written out, and what is said of a report's form changed."""
    folder = tmp_path / "terse"
    write_prompts(folder, prompt_files(with_pages().values()))
    (folder / "report_form.md").write_text("# The report\nThree sentences.\n\n", encoding="utf-8")
    return folder


def overrides(folder: Path, *agents: str) -> Overrides:
    return read_overrides(folder, [load_agent(name) for name in agents or ("react",)])


def test_prompts_are_written_out_as_they_are_packaged_and_never_over_one_that_was_changed(
    tmp_path: Path, terse: Path
) -> None:
    files = prompt_files(with_pages().values())
    assert {"react.md", "picks.md", "hybrid_react/report.md", "summarise_page.md"} <= files.keys()
    write_prompts(tmp_path / "all", files)
    assert all((tmp_path / "all" / name).read_text("utf-8") == packaged_text(path) for name, path in files.items())
    with pytest.raises(UserError, match=r"report_form\.md is there already"):
        write_prompts(terse, prompt_files([load_agent("react")]))
    assert "Three sentences" in (terse / "report_form.md").read_text(encoding="utf-8")


def test_systems_side_by_side_are_each_told_their_own_words_which_label_run_and_folder_hold(
    world: World, terse: Path, folder: Path
) -> None:
    seen, players = [], []
    for its in (NO_OVERRIDES, overrides(terse)):
        model, shown = scripted(calls(SEARCH), reporting("A feeder [P:B0TEST0001]."))
        players.append(sut(world, model, overrides=its))
        seen.append(shown)
    with open_experiment(folder, world, [QUERY], players, "42") as experiment:
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
    hashes = read_run(run_folder(folder, label, "q1", 1)).prompt_hashes
    assert hashes == prompt_hashes(players[1]) == read_definition(folder).prompt_hashes[label]
    assert hashes["react"] != prompt_hashes(players[0])["react"]
    assert hashes["conclude"] == prompt_hashes(players[0])["conclude"]
    assert overrides(prompts_path(folder, label, "terse")).as_record() == recorded


def test_the_length_of_reports_is_a_file_which_may_be_replaced_or_blank(tmp_path: Path) -> None:
    agent, told = load_agent("react"), "600 to 900 words"
    for text, expected in (("", False), ("- Three sentences.", True)):
        (tmp_path / "length.md").write_text(text, encoding="utf-8")
        with overridden(read_overrides(tmp_path, [agent]).texts):
            (react,) = (prompt.text for prompt in agent.prompts() if prompt.name == "react")
        assert told not in react
        assert ("Three sentences." in react) is expected
    assert told in next(prompt.text for prompt in agent.prompts() if prompt.name == "react")


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
        ("report.md", "x", r"Did you mean .*hybrid_react/report\.md"),
        ("react.md", "Answer.", r"lacks the placeholder \{\{turns\}\}"),
        ("react.md", "{{turns}} {{trens}}", r"has the placeholder \{\{trens\}\}, which nothing .* \{\{turns\}\}"),
        ("react.md", "{{ turns }}", r"has the placeholder \{\{ turns \}\}"),
        ("picks.md", "{{citing}}", r"has the placeholder \{\{citing\}\}.*it may have none"),
        ("react.md", " \n", "is blank"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_one_sentence(terse: Path, name: str, text: str, message: str) -> None:
    (terse / name).write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        overrides(terse)


def test_a_folder_that_changes_nothing_is_refused_and_hidden_files_are_none(tmp_path: Path) -> None:
    write_prompts(tmp_path / "same", prompt_files([load_agent("react")]))
    (tmp_path / "same" / ".DS_Store").write_bytes(b"\xff")
    with pytest.raises(UserError, match=r"No prompt in .* differs"):
        overrides(tmp_path / "same")
    with pytest.raises(UserError, match=r"There is no folder .*drretail prompts --to"):
        overrides(tmp_path / "missing")


def test_prompts_that_changed_under_the_same_name_are_named(world: World, terse: Path, folder: Path) -> None:
    model, _ = scripted()
    open_experiment(folder, world, [QUERY], [sut(world, model, overrides=overrides(terse))], "42").close()
    (terse / "report_form.md").write_text("Two sentences.", encoding="utf-8")
    with pytest.raises(UserError, match=r"other prompts \(report_form\.md\).*folder of prompts another name"):
        open_experiment(folder, world, [QUERY], [sut(world, model, overrides=overrides(terse))], "42")
