"""Runs one after another and many at once. Also tests outcomes.py, run.py and shard.py."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Never, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage

from drretail.agents.base import Agent
from drretail.agents.running.outcomes import IN_A_ROW, Ended
from drretail.agents.running.run import Batch, ask_once, open_for_writing, question_as_query
from drretail.agents.running.runner import Runner
from drretail.agents.running.shard import WHOLE, Shard, only
from drretail.agents.running.system import definition
from drretail.env.catalog.base import Catalog
from drretail.env.gold import add_gold
from drretail.env.web.base import WebPage
from drretail.env.web.sandbox import SandboxWeb
from drretail.env.world import World
from drretail.errors import CommandStopped, ModelError, ToolError, UserError
from drretail.eval.judging.subject import read_subjects
from drretail.experiments.experiment import Experiment, kept_sources, read_definition, read_runs
from drretail.experiments.journal import Effect
from drretail.experiments.run_file import Recorded, read_evidence, read_journal, read_run
from drretail.llm.offline.chat import OfflineChat
from drretail.llm.prompt import tag_content
from drretail.llm.scripted import scripted_model
from drretail.records.evidence import Evidence
from drretail.records.query import Query
from drretail.records.wish import Want, Wish
from drretail.reports.text.evidence_ids import web_evidence_id
from tests import build
from tests.agents.conftest import QUERY, calls, record, reporting, run_in, scripted, sut, tally_of
from tests.build import known
from tests.run_files import edit_run, runs_in
from tests.shop import PAGES, USER

SEARCH = ("product_catalog_search", {"query": "bird feeder"})
CLEANING = ("web_search", {"query": "bird feeder cleaning"})
SAID = "The tube feeder [P:B0TEST0001]."
REPORT = reporting(SAID, "P:B0TEST0001 x 1")


def test_a_replay_of_another_conversation_fails_and_says_so_and_of_none_is_refused(world: World, folder: Path) -> None:
    tally_of(folder, world, sut(world, scripted(calls(SEARCH), REPORT)[0]))
    other = QUERY.model_copy(update={"text": "Which bird bath?"})
    recorded = record(world, sut(world, scripted()[0]), other, replay=folder)
    assert "replayed journal" in known(recorded.run.error).message
    with pytest.raises(UserError, match="nothing to replay"):
        record(world, sut(world, scripted()[0]), other.model_copy(update={"query_id": "q2"}), replay=folder)


@pytest.mark.parametrize("retry", ["failed", "spoiled"])
def test_a_failed_run_is_kept_counted_and_tried_afresh_when_asked(world: World, folder: Path, retry: str) -> None:
    player = sut(world, scripted(ModelError("timeout", "slow"), calls(SEARCH), REPORT)[0])
    first, kept = (tally_of(folder, world, player) for _ in range(2))
    asked: dict[str, Any] = {"retry": [retry]}
    again = tally_of(folder, world, player, **asked)
    assert (first.done, first.failed, first.before) == (0, 1, 0)
    assert (kept.failed, kept.before) == (1, 1)
    assert first.failures == kept.failures == [f"{player.label}/q1-r1: timeout: slow"]
    assert (again.done, again.failed, again.before) == (1, 0, 0)
    assert read_run(run_in(folder)).usage["researcher"].calls == 2


def test_a_run_that_cannot_be_read_is_a_failed_run_and_the_others_go_on(world: World, folder: Path) -> None:
    player = sut(world, scripted(calls(SEARCH), REPORT, calls(SEARCH), REPORT)[0])
    tally_of(folder, world, player)
    edit_run(run_in(folder), picks=[{"product": "B0TEST0001", "quantity": -1}])
    kept = tally_of(folder, world, player)
    where = f"runs/{player.label}/q1-r1.jsonl.gz is not as this version writes it: picks.0.quantity is -1"
    assert (kept.done, kept.failed) == (0, 1)
    assert kept.failures[0].startswith(f"{player.label}/q1-r1: unreadable: {where}: it should be greater than")
    assert [*read_runs(folder)] == []
    again = tally_of(folder, world, player, retry=["spoiled"])
    assert (again.done, again.failed) == (1, 0)


class Down:
    """A catalog or a web whose server cannot be reached; else as ``inner``."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def search(self, *_: Any) -> Any:
        raise ToolError("unavailable", "The server cannot be reached.")

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


def test_a_run_spoiled_by_a_failing_server_is_made_again_only_when_asked(world: World, folder: Path) -> None:
    player = sut(world, scripted(calls(SEARCH, CLEANING), calls(SEARCH), REPORT, calls(SEARCH), REPORT)[0])
    cut_off = Runner(replace(world, catalog=cast(Catalog, Down(world.catalog))), "w")
    first = tally_of(folder, world, player, cut_off)
    kept = tally_of(folder, world, player, retry=["failed"])
    again, whole = (tally_of(folder, world, player, retry=["spoiled"]) for _ in range(2))
    assert (first.done, first.tool_calls, first.calls_failed, first.spoiled) == (1, 3, 2, 1)
    assert (kept.before, kept.calls_failed, kept.spoiled) == (1, 2, 1)
    assert (again.done, again.before, again.tool_calls, again.calls_failed, again.spoiled) == (1, 0, 1, 0, 0)
    assert (whole.done, whole.before) == (1, 1)


class Flaky(Down):
    """A server that answers every so many searches only."""

    asked = 0

    def search(self, *given: Any) -> Any:
        self.asked += 1
        return super().search() if self.asked % IN_A_ROW else self.inner.search(*given)


def test_a_shop_that_answers_now_and_then_stops_nothing(world: World, folder: Path) -> None:
    shaky = Runner(replace(world, catalog=cast(Catalog, Flaky(world.catalog))), "w")
    tally = tally_of(folder, world, sut(world, scripted(*(calls(SEARCH), REPORT) * 9)[0]), shaky, repeats=9)
    assert (tally.done, tally.calls_failed, tally.spoiled) == (9, 8, 8)


def test_calls_left_unanswered_in_a_row_stop_all_runs_in_one_sentence(world: World, folder: Path) -> None:
    model, shown = scripted(*(calls(SEARCH), REPORT) * 9)
    player = sut(world, model)
    cut_off = Runner(replace(world, catalog=cast(Catalog, Down(world.catalog))), "w")
    with pytest.raises(CommandStopped, match=r"5 calls of product_catalog_search in a row .* cannot be reached"):
        tally_of(folder, world, player, cut_off, repeats=9)
    assert len(shown) == 9, "four whole runs, and the first call of the fifth"
    again = tally_of(folder, world, player, repeats=9)
    assert (again.done, again.before, again.spoiled) == (9, 4, 4)
    assert len(shown) == 18, "what the fifth had been answered stands in its journal"


def test_a_question_that_was_asked_is_read_not_run_again(world: World, folder: Path) -> None:
    query = question_as_query("Which feeder, under $30?", USER, world)
    for turns in ([calls(SEARCH), REPORT], []):
        recorded = ask_once(Runner(world, "w"), sut(world, scripted(*turns)[0]), query, folder)
        assert recorded.run.report == SAID


def test_an_agent_whom_the_world_fails_outside_of_a_tool_fails_its_run(world: World) -> None:
    async def answer(task: object, session: object, models: object, limits: object) -> Never:
        raise ToolError("unavailable", "MongoDB at host:1 cannot be reached.")

    player = replace(sut(world, scripted()[0]), agent=Agent(answer, roles=("report",)))
    error = known(record(world, player).run.error)
    assert (error.kind, error.message) == ("tool", "MongoDB at host:1 cannot be reached.")


URL = PAGES[0].url
PAGE = web_evidence_id(URL)
WEB_SEARCH = calls(("web_search", {"query": "bird feeder cleaning"}))
CITING = reporting(f"Clean it every two weeks [{PAGE}].")


def page_of(folder: Path, world: World, *turns: Any, **given: Any) -> Evidence:
    """The evidence of the page after a run."""
    player = sut(world, scripted(*turns)[0])
    tally_of(folder, world, player, Runner(world, "w", **given))
    return next(entry for entry in read_evidence(run_in(folder)) if entry.id == PAGE)


def fetches(folder: Path) -> list[Effect]:
    return [effect for effect in read_journal(run_in(folder)) if effect.kind == "page_fetch"]


def forms(entry: Evidence) -> list[tuple[str, bool]]:
    return [(text.form, text.shown) for text in entry.texts]


def test_what_a_report_cites_is_fetched_when_the_run_ends_and_what_no_result_held_kept_apart(
    world: World, folder: Path
) -> None:
    invented = "https://nowhere.example/guide"
    report = reporting(f"Clean it [{PAGE}]. Or [not]({invented}).")
    entry = page_of(folder, world, WEB_SEARCH, report)
    assert forms(entry) == [("snippet", True), ("page", False)]
    assert [text.text for text in entry.sources] == [PAGES[0].text]
    assert [effect.request for effect in fetches(folder)] == [
        {"provider": "sandbox", "url": url} for url in (invented, URL)
    ]
    (kept,) = kept_sources(folder)
    assert (kept.url, kept.pages[0].state) == (invented, "not_found")
    (subject,) = read_subjects(folder, None)
    assert {*subject.sources} - {*subject.evidence} == {web_evidence_id(invented)}
    uncited = page_of(folder.with_name("uncited"), world, WEB_SEARCH, reporting("I know how to clean it."))
    without = page_of(folder.with_name("without"), world, WEB_SEARCH, report, pages=False)
    assert forms(uncited) == forms(without) == [("snippet", True)]
    assert without.is_unfetched
    for name in ("uncited", "without"):
        assert fetches(folder.with_name(name)) == kept_sources(folder.with_name(name)) == []


class Walled(SandboxWeb):
    """The shop's pages, which can be found and not be read."""

    def __init__(self, problem: str | None) -> None:
        super().__init__(PAGES)
        self.problem = problem

    def fetch(self, url: str) -> WebPage:
        if self.problem is None:
            raise RuntimeError("a plugin's bug")
        return WebPage(url, "", "", "blocked", problem=self.problem)


@pytest.mark.parametrize(("problem", "state"), [("robots.txt forbids it.", "blocked"), (None, "error")])
def test_a_page_that_cannot_be_read_says_why(world: World, folder: Path, problem: str | None, state: str) -> None:
    entry = page_of(folder, replace(world, web=Walled(problem)), WEB_SEARCH, CITING)
    assert (entry.state, forms(entry)) == (state, [("snippet", True)])
    assert entry.lacks_page
    assert not entry.is_unfetched
    assert (problem or "a plugin's bug") in (entry.problem or "")


def test_a_replay_fetches_nothing_and_of_a_run_without_pages_keeps_what_was_there(world: World, folder: Path) -> None:
    first = page_of(folder, world, WEB_SEARCH, CITING)
    offline = replace(world, web=Walled(None))
    assert page_of(folder.with_name("again"), offline, replay=folder) == first
    old = folder.with_name("old")
    before = page_of(old, world, WEB_SEARCH, CITING, pages=False)
    assert page_of(folder.with_name("replayed"), offline, replay=old) == before


QUERIES = tuple(Query(query_id=f"q{n}", user_id=USER, text=f"Question {n}?", source="test") for n in range(6))


@dataclass
class Backend:
    """What a served model does for each question, and how many calls it had in flight at once."""

    answer: Callable[[int, int], AIMessage]
    """(number of the question, turns so far) → the answer."""
    pause: Callable[[int], float] = lambda number: 0.01
    most: int = 0
    _in_flight: int = 0
    asked: list[int] = field(default_factory=list[int])

    async def serve(self, messages: list[BaseMessage]) -> AIMessage:
        number = int(str(tag_content("query", messages[1].text))[9:-1])
        self.asked.append(number)
        self._in_flight += 1
        self.most = max(self.most, self._in_flight)
        try:
            await asyncio.sleep(self.pause(number))
        finally:
            self._in_flight -= 1
        return self.answer(number, (len(messages) - 2) // 2)


class Served(OfflineChat):
    """A chat model that answers in its own time, as one behind a network does."""

    backend: Any = None

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        answer = await self.backend.serve(messages)
        return await super()._agenerate([*messages, answer], *args, **kwargs)


def run_all(
    folder: Path,
    world: World,
    backend: Backend,
    *,
    queries: Sequence[Query] = QUERIES,
    model_calls: int | None = None,
    **given: Any,
) -> Any:
    chat = Served(policy=lambda messages, *_: cast(AIMessage, messages[-1]), model="served", backend=backend)
    player = sut(world, scripted_model("unused").with_chat(chat))
    runner = Runner(world, "w", model_calls=model_calls)
    with Experiment(folder, definition(world, tuple(queries), [player], "42")) as experiment:
        return Batch(runner, experiment, **given).run_all([player], queries)


def researched(number: int, turns: int) -> AIMessage:
    return reporting(f"Report {number}.") if turns else calls(SEARCH)


def test_a_missing_cart_is_counted_only_where_something_is_to_be_bought(world: World, folder: Path) -> None:
    wanting = {"q0", "q1"}
    wish = Wish(wants=(Want(name="bird feeder", kinds=("bird feeder",)),))
    asked = [query.model_copy(update={"wish": wish}) if query.query_id in wanting else query for query in QUERIES]
    backend = Backend(lambda _, turns: reporting("Take the cedar one.", "the first") if turns else calls(SEARCH))
    (tally,) = run_all(folder, world, backend, queries=asked)
    assert (tally.done, tally.undecided) == (6, 2)
    failed = build.run("q0-r1", None, notes=("picks_missing: the report declares no picks",))
    assert not Ended.of(failed, before=False).undecided


def test_files_and_tallies_do_not_depend_on_what_ends_first(world: World, folder: Path) -> None:
    def failing(number: int, turns: int) -> AIMessage:
        if number % 2:
            raise ModelError("refusal", f"no {number}")
        return researched(number, turns)

    forward = Backend(failing, lambda number: 0.01 * number)
    backward = Backend(failing, lambda number: 0.01 * (6 - number))
    outcomes = [
        run_all(folder / name, world, backend, parallel=parallel)
        for name, backend, parallel in (("a", forward, 3), ("b", backward, 6), ("c", forward, 1))
    ]
    assert (forward.most, backward.most) == (3, 6)
    assert outcomes[0] == outcomes[1] == outcomes[2]
    assert [failure.split(":")[0][-5:] for failure in outcomes[0][0].failures] == ["q1-r1", "q3-r1", "q5-r1"]
    assert runs_in(folder / "a") == runs_in(folder / "b") == runs_in(folder / "c")


def test_as_many_models_are_asked_at_once_as_there_are_runs_unless_a_number_is_set(world: World, folder: Path) -> None:
    twenty = [QUERIES[0].model_copy(update={"query_id": f"q{n}", "text": f"Question {n}?"}) for n in range(20)]
    for model_calls, most in ((None, 20), (3, 3)):
        backend = Backend(researched, lambda _: 0.2)
        run_all(folder / str(most), world, backend, queries=twenty, parallel=20, model_calls=model_calls)
        assert backend.most == most


def test_a_disk_that_is_full_stops_all_and_is_told(world: World, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save = Experiment.save

    def full(self: Experiment, recorded: Recorded) -> Path:
        if recorded.run.query_id == "q1":
            raise OSError(28, "No space left on device")
        return save(self, recorded)

    monkeypatch.setattr(Experiment, "save", full)
    backend = Backend(researched, lambda number: 0.01 if number < 2 else 5)
    with pytest.raises(OSError, match="No space"):
        run_all(folder, world, backend, parallel=4)
    assert "5" not in {str(number) for number in backend.asked}


def test_the_top_level_categories_of_what_is_wanted_are_frozen_with_the_gold(world: World, tmp_path: Path) -> None:
    wanted = Wish(wants=(Want(name="feeder", kinds=("Bird Feeders", "Patio, Lawn & Garden")),))
    queries = [
        Query(query_id="q1", text="A feeder?", source="test", wish=wanted),
        Query(query_id="q2", text="What now?", source="test"),
    ]
    for folder in ("one", "two"):
        players = [sut(world, scripted_model("x"))]
        with open_for_writing(tmp_path / folder, world, queries, players, "42") as experiment:
            assert read_definition(tmp_path / folder).categories == {}
            add_gold(experiment, world, queries)
    assert read_definition(tmp_path / "one").categories == {"q1": ("Patio_Lawn_and_Garden",)}
    assert (tmp_path / "one/experiment.json").read_bytes() == (tmp_path / "two/experiment.json").read_bytes()


@given(st.from_regex(r"[a-z0-9][a-z0-9._-]{0,20}", fullmatch=True), st.integers(1, 50))
def test_every_query_is_in_exactly_one_shard_and_in_the_same_everywhere(query_id: str, of: int) -> None:
    assert sum(Shard(number, of).holds(query_id) for number in range(1, of + 1)) == 1
    assert WHOLE.holds(query_id)
    assert [fixed for fixed in ("q1", "q2", "q3", "q4", "q5") if Shard(1, 2).holds(fixed)] == ["q4"]


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "1/0", "a/b", "1/2/3", "-1/2", "1 / 2", "²/3"])
def test_what_is_no_shard_is_said_so(text: str) -> None:
    with pytest.raises(UserError, match=r"from 1/4 to 4/4"):
        Shard.read(text)


FIVE = [Query(query_id=f"q{n}", text="?", source="test") for n in range(5)]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("2", ["q0", "q1"]),
        (3, ["q0", "q1", "q2"]),
        ("99", ["q0", "q1", "q2", "q3", "q4", "7"]),
        ("q3, q1", ["q1", "q3"]),
        (["q4"], ["q4"]),
        ("7", ["7"]),  # an id that is a number
    ],
)
def test_only_takes_the_first_queries_or_those_of_the_ids(wanted: Any, found: list[str]) -> None:
    queries = [*FIVE, Query(query_id="7", text="?", source="test")]
    assert [query.query_id for query in only(queries, wanted)] == found
    for none, message in (("0", "from 1 on"), ("-1", "from 1 on"), ("q1,q9", "no query 'q9'")):
        with pytest.raises(UserError, match=message):
            only(queries, none)
