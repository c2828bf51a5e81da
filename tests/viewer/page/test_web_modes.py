"""One query asked on several webs: the answers stand beside one another, each named by where its pages came from."""

from pathlib import Path

from drretail.experiment import Definition, Experiment
from drretail.records.query import Query
from drretail.records.run import System
from drretail.viewer.experiment import read_view
from drretail.viewer.page.question import Questions
from tests.build import SYSTEM, run
from tests.viewer.dom import parse

QUERY = Query(query_id="q1", text="Which feeder lasts?", source="test")


def headings(folder: Path, *systems: System) -> list[str]:
    definition = Definition(
        world_fingerprint="f" * 64,
        queries=(QUERY,),
        systems={system.label(): system for system in systems},
        prompt_hashes={system.label(): {} for system in systems},
        tool_schema_hash="t",
    )
    with Experiment(folder, definition) as opened:
        for system in systems:
            opened.save(run("q1-r1", "It lasts.", label=system.label()), (), {}, {"world": "nowhere"})
    view = read_view(folder)
    page = parse(f"<div>{Questions(view).render(view.questions[0]).body}</div>")
    return [" ".join(next(each.all("h4")).text.split()) for each in page.all("article", "answer")]


def on(**fields: object) -> System:
    return SYSTEM.model_copy(update=fields)


def test_webs_are_named_and_stand_side_by_side_the_open_one_first(tmp_path: Path) -> None:
    found = headings(
        tmp_path / "exp",
        on(options={"redact": True}),
        on(options={"size": "64k"}, web_corpus="c"),
        on(options={"without": ["web"]}),
        on(web_provider="serper"),
        on(options={"redact": True}, agent="another"),
    )
    assert [each.partition(" ")[2] for each in found] == ["", "", "(serper (open web))", "(sandbox 64k)", "(no web)"]
    assert found[0].startswith("another")


def test_systems_on_one_web_keep_their_names(tmp_path: Path) -> None:
    found = headings(tmp_path / "exp", on(options={"size": "64k"}), on(options={"size": "32k"}))
    assert [each.partition(" ")[2] for each in found] == ["", ""]
