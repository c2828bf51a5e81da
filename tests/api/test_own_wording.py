"""All prompts and criteria in other words are sent, from queries to scores. Tests prompts.py and llm/prompt.py."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from drretail.agents.registry import BUILT_IN, load_agent, prompt_files, read_overrides, with_pages
from drretail.agents.running.run import run_systems
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import suts
from drretail.api.prompts import all_prompt_files, query_prompt_files, read_query_prompts
from drretail.env.world import World
from drretail.errors import ModelError
from drretail.eval.judging.session import Judge
from drretail.eval.method import judge_prompt_files, read_wording
from drretail.eval.registry import METRICS, PAIRWISE, load_metric
from drretail.experiments.experiment import KNOWN_ANSWERS, read_definition, run_files
from drretail.experiments.journal import read_effects
from drretail.experiments.run_file import read_journal
from drretail.files import write_json
from drretail.llm.prompt import overridden_prompts, replaced, write_prompt_files
from drretail.llm.registry import build_model
from drretail.llm.scripted import Request, ScriptedChat, scripted_model
from drretail.plugins import ADDONS
from drretail.querygen.by_model.prompt import PromptBuilder
from drretail.querygen.by_model.reader import read_records
from drretail.querygen.by_model.second import ask_again
from drretail.querygen.by_model.session import ModelSession, ask_all
from drretail.querygen.by_model.targets import Target
from drretail.querygen.by_model.write import type_wishes, write_for_targets
from drretail.querygen.decisions import questions_of
from drretail.querygen.lint import Linter
from drretail.records.base import Rules
from drretail.records.criteria import GoldInsight, KnownAnswer, PartOfGold
from drretail.records.query import Query
from drretail.records.wish import Want, Wish
from tests import build
from tests.agents.conftest import calls
from tests.build import demands, known
from tests.eval.claims.test_turns import POT, WEIGHT, answered
from tests.eval.every_question import every_answer
from tests.filling import filling_model
from tests.shop import USER

QUESTION = "Which bird feeder of yours should I get for under $45, and how often do I clean it?"
LONG = "\n\n".join(f"## Part {n}\n\n{'It lasts for years, as page one says. ' * 25}" for n in range(1, 9))
QUERY = Query(query_id="q", user_id=USER, text=QUESTION, source="probe")


def mark_of(name: str) -> str:
    return f"MARK({name})"


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every packaged file with its own mark in front; in criteria, in front of every text."""
    folder = tmp_path_factory.mktemp("own") / "mine"
    for path in write_prompt_files(folder, all_prompt_files()):
        text, mark = path.read_text(encoding="utf-8"), mark_of(path.relative_to(folder).as_posix())
        is_table = path.suffix == ".toml"
        marked = text.replace('text = """\n', f'text = """\n{mark} ') if is_table else f"{mark} {text}"
        path.write_text(marked, encoding="utf-8")
    return folder


def unsent(files: Iterable[str], texts: Iterable[str]) -> list[str]:
    sent = "\n".join(texts)
    return [name for name in files if mark_of(name) not in sent]


def requests_in(folder: Path) -> list[str]:
    journals = [*map(read_effects, folder.rglob("*journal.jsonl*")), *map(read_journal, run_files(folder))]
    return [json.dumps(effect.request, ensure_ascii=False) for effects in journals for effect in effects]


def test_every_prompt_of_query_makers_is_sent_in_the_users_words_and_the_query_says_so(
    own: Path, world: World, tmp_path: Path
) -> None:
    linter, journal = Linter(world), tmp_path / "q.journal.jsonl"
    wish = Wish(wants=(Want(name="feeder", kinds=("feeder",), must=demands("steel")),))
    untyped = [Query(query_id="t", user_id=USER, text=QUESTION, source="test")]
    targets = [Target("a", 1, USER), Target("generic-a", 1, category="Garden")]
    failing = scripted_model(play=lambda _: ModelError("refusal", "no"))
    with overridden_prompts(read_query_prompts(own)):
        with ModelSession(failing, journal) as session:
            write_for_targets(world, session, targets)
        with ModelSession(filling_model(), journal, retry_failed=True) as session:
            written = write_for_targets(world, session, targets)
            typed = type_wishes(world, linter, session, untyped)
            wished = QUERY.model_copy(update={"wish": wish})
            ask_all(session, [ask_again(wished, PromptBuilder(world, linter))])
            read_records([*questions_of([wished], linter.stock.offers)], session)
        own_words = replaced()
    of_core = {name: path for name, path in query_prompt_files().items() if not path.is_relative_to(ADDONS)}
    assert unsent(of_core, requests_in(tmp_path)) == []
    assert [*written.left_out, *typed.queries]
    assert all(query.prompts == own_words for query in (*written.queries, *typed.queries))


SEARCH = calls(("product_catalog_search", {"query": "bird feeder"}))


def clumsy(request: Request) -> AIMessage:
    """Announces twice, searches until its limit, and names no picks; finds nothing in files."""
    match request.schema, request.turn:
        case None, _ if not request.may_call:
            return AIMessage("Take the feeder [P:B0TEST0001].")
        case None, 1 | 3:
            return AIMessage("I will look for a feeder.")
        case None, _:
            return SEARCH
        case _:
            return AIMessage(json.dumps({"found": False, "answer": "", "quotes": []}))


def never_ends(request: Request) -> AIMessage:
    """dr3's retriever: searches until its limit."""
    return calls(("web_search", {"query": f"how high {request.turn}"})) if request.may_call else AIMessage("Five feet.")


def sends(request: Request) -> AIMessage:
    """dr3's main agent: one question to the web and one to a file, then its report."""
    if request.turn == 1:
        web, file = {"question": "How high?"}, {"file": "note.txt", "question": "How high?"}
        return calls(("search_sandbox", web), ("read_file", file))
    return AIMessage("Take it [P:B0TEST0001].")


def wrong(_: Request) -> AIMessage:
    return AIMessage("Take it for $21.99 [P:B0TEST0001].\n\n```picks\nP:B0TEST0001 x 1\n```")


def test_every_prompt_of_the_agents_is_sent_in_the_users_words_and_named_in_the_record(
    own: Path, world: World, tmp_path: Path
) -> None:
    """By all agents by rules, and some clumsy ones."""
    folder = tmp_path / "exp"
    overrides, rules = read_overrides(own, [], all_prompt_files()), build_model("offline:shopper")
    (folder.parent / "files" / QUERY.query_id).mkdir(parents=True)
    (folder.parent / "files" / QUERY.query_id / "note.txt").write_text("Five feet.", encoding="utf-8")
    query = QUERY.model_copy(update={"files": ("note.txt",)})
    later = QUERY.model_copy(update={"query_id": "later", "after": QUERY.query_id})
    plays = (clumsy, sends, wrong, never_ends)
    played = {play.__name__: scripted_model(play=play, name=play.__name__) for play in plays}
    main = {"": played["clumsy"], "researcher": played["sends"], "retriever": played["never_ends"]}
    parts = [
        (with_pages(), {"": rules}),
        ({"react": load_agent("react")}, {"": played["clumsy"]}),
        ({"grounded_hybrid": load_agent("grounded_hybrid")}, {"": rules, "report": played["wrong"]}),
    ]
    if "dr3" in BUILT_IN:  # an add-on's
        parts.append(({"dr3": load_agent("dr3")}, main))
    for agents, models in parts:
        runner = Runner(world, "w", files=folder.parent / "files")
        made = suts(agents, models, world, overrides)
        run_systems(folder, runner, made, [query, later], seed="4", title="")
    assert unsent(prompt_files(with_pages().values()), requests_in(folder)) == []
    systems = [system for system in read_definition(folder).systems.values() if system.models]
    assert {known(system.prompts).name for system in systems} == {"mine"}


def as_published(title: str, question: str, answer: Any) -> Any:
    """The answer without values, which the paper's claims lack, and with cited claims only if these alone are asked."""
    del question
    if title not in ("CitedClaims", "AllClaims"):
        return answer
    claims = [{name: part for name, part in claim.items() if name != "values"} for claim in answer["claims"]]
    return {"claims": [claim for claim in claims if claim["sources"] or title == "AllClaims"]}


def test_every_prompt_and_criterion_of_the_judges_is_sent_in_the_users_words_and_named_beside_the_scores(
    own: Path, world: World, tmp_path: Path
) -> None:
    here = tmp_path / "here"
    for name, model in (("react", scripted_model(play=clumsy)), ("plan_to_function", build_model("offline:shopper"))):
        run_systems(here, Runner(world, "w"), suts({name: load_agent(name)}, {"": model}, world), [QUERY])
    usual = known(every_answer(sentences=1, changed=as_published)[0].model).chat
    assert isinstance(usual, ScriptedChat)
    wording, judge = read_wording(own, all_prompt_files()), Judge.of(filling_model(usual.play))
    asking = [name for name in METRICS if load_metric(name).needs_judge]
    by_rules: dict[Rules, Sequence[str]] = {
        "default": (*asking, PAIRWISE),
        "paper": ("faithfulness", "quality", PAIRWISE),
    }
    if "dr3" in METRICS:  # an add-on's
        by_rules["dr3"] = ("dr3",)
    reports = {name: {"q1-r1": f"{LONG} {name}"} for name in ("a@model", "b@model")}
    elsewhere = build.experiment(tmp_path / "exp", reports, agents=dict.fromkeys(reports, "imported"))
    gold = KnownAnswer(query_id="q1", sandbox=PartOfGold(insights=(GoldInsight(id="i", text="It lasts."),)))
    write_json(KNOWN_ANSWERS.path(elsewhere, "q1"), gold.model_dump(mode="json"))
    for rules, metrics in by_rules.items():
        scores = build.scored(here, metrics, judge, rules=rules, wording=wording, store=world.store)
        assert {wording.label in row.judge_params for row in scores.scores if row.judge == judge.ref.spec} == {True}
        build.scored(elsewhere, metrics, judge, rules=rules, wording=wording)
    answers = build.experiment(tmp_path / "log", {"log": {"q1-r1": answered()}}, evidence=[POT])
    typing = build.scripted_judge(lambda opening: {"values": [WEIGHT] if str(WEIGHT["quote"]) in opening else []})[0]
    build.scored(answers, "false_statements", typing, wording=wording)
    folders = [folder / "verdicts" for folder in (here, elsewhere, answers)]
    assert unsent(judge_prompt_files(), [text for folder in folders for text in requests_in(folder)]) == []
