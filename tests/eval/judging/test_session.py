"""The judge seam: what goes to a judge, what is done with bad answers, and that nothing is asked twice."""

import json
from pathlib import Path
from typing import Any, Literal

import pytest

from drretail.eval.judging.question import JudgeAnswer, VerdictFile
from drretail.eval.judging.session import CODE_JUDGE, Again, Judge, JudgeSession
from drretail.journal import read_effects
from drretail.llm.prompt import Prompt, tagged
from drretail.llm.registry import open_model
from drretail.records.base import Record
from tests.build import known
from tests.llm.provider import Provider, Step, answers, fails

KEY = "sk-test-0123456789abcdef"
PROMPT = Prompt("taste", "How good is this?\n\n{{report}}\n")
VALUES = {"report": tagged("report", "A dog bed.")}
pytestmark = pytest.mark.anyio


class Taste(Record):
    """How good it tastes."""

    rating: Literal[0, 1, 2]
    why: str


def called_for(answer: Any) -> Step:
    """An answer as the arguments of a tool."""
    return answers({"type": "tool_use", "id": "t", "name": "Taste", "input": answer}, stop_reason="tool_use")


def text_of(value: Any) -> Step:
    return answers({"type": "text", "text": value if isinstance(value, str) else json.dumps(value)})


def claude(url: str, name: str = "claude-sonnet-4-6", **given: Any) -> Judge:
    settings: dict[str, Any] = {"timeout": 5, "max_retries": 0, "max_tokens": 700} | given
    return Judge.of(open_model(f"anthropic:{name}", base_url=url, environ={"ANTHROPIC_API_KEY": KEY}, **settings))


def judge_session(judge: Judge, folder: Path, again: Again = "nothing", **about: Any) -> JudgeSession:
    fields: dict[str, Any] = {"metric": "taste", "version": 1, "run_id": "a/q1-r1", "report_sha": "r1"} | about
    return JudgeSession(judge, VerdictFile(folder / "q1-r1.jsonl"), again=again, **fields)


async def asked(folder: Path, *script: Step, **given: Any) -> tuple[JudgeAnswer[Taste], Provider]:
    with Provider(*script) as provider, judge_session(claude(provider.url, **given), folder) as session:
        return await session.ask("rating", "taste", PROMPT, VALUES, Taste), provider


async def test_the_schema_goes_out_as_the_models_own_structured_output_or_else_in_words(tmp_path: Path) -> None:
    claim_verdict, provider = await asked(tmp_path, text_of({"rating": 2, "why": "soft"}))
    assert claim_verdict == JudgeAnswer(Taste(rating=2, why="soft"), PROMPT.hash)
    (request,) = provider.seen
    form = request.body["output_config"]["format"]
    assert form["type"] == "json_schema"
    assert form["schema"]["required"] == ["rating", "why"]
    assert form["schema"]["additionalProperties"] is False
    assert request.body["messages"][0]["content"] == PROMPT.render(**VALUES)

    steps = called_for({"rating": 1, "why": "hard"})
    claim_verdict, provider = await asked(tmp_path / "tool", steps, name="claude-haiku-5-5")
    assert claim_verdict.answer == Taste(rating=1, why="hard")
    assert provider.seen[0].body["tools"][0]["input_schema"]["required"] == ["rating", "why"]

    fenced = '```json\n{"rating": 1, "why": "hard"}\n```'
    steps = fails(400, "thinking allows no forced tool"), text_of(fenced)
    claim_verdict, provider = await asked(tmp_path / "words", *steps, name="claude-haiku-5-5")
    assert claim_verdict.answer == Taste(rating=1, why="hard")
    body = provider.seen[1].body
    assert not {"output_config", "tools"} & body.keys()
    assert "<schema>" in body["messages"][0]["content"]
    assert '"rating"' in body["messages"][0]["content"]
    assert [effect.request["messages"] for effect in read_effects(tmp_path / "words" / "q1-r1.journal.jsonl")] == [
        [{"role": "human", "content": PROMPT.render(**VALUES)}]
    ], "the journal knows no form"


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        ("not json", "Invalid JSON"),
        ({"rating": 3, "why": "x"}, "rating"),
        ({"rating": "2", "why": "x"}, "rating"),
        ({"rating": 2}, "why: Field required"),
        ({"rating": 2, "why": "x", "more": 1}, "more"),
        ([2], "should be an object"),
    ],
)
async def test_a_broken_answer_is_told_and_repaired(tmp_path: Path, broken: Any, expected: str) -> None:
    claim_verdict, provider = await asked(tmp_path, text_of(broken), text_of({"rating": 2, "why": "soft"}))
    assert claim_verdict == JudgeAnswer(Taste(rating=2, why="soft"), PROMPT.hash)
    messages = provider.seen[1].body["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "user"]
    assert messages[0] == provider.seen[0].body["messages"][0]
    problem = messages[2]["content"].partition("<problem>")[2].partition("</problem>")[0]
    assert expected in problem


@pytest.mark.parametrize("why", [r"half \ud83d", "half \ud83d"], ids=["as an escape", "as it is"])
async def test_half_a_character_in_an_answer_needs_no_repair_and_is_replaced(tmp_path: Path, why: str) -> None:
    answer, provider = await asked(tmp_path, text_of(f'{{"rating": 1, "why": "{why}"}}'))
    assert answer.answer == Taste(rating=1, why="half \ufffd")
    assert len(provider.seen) == 1


async def test_after_two_repairs_the_verdict_is_failed_and_other_failures_are_not_repaired(tmp_path: Path) -> None:
    wrong, provider = await asked(tmp_path, *[text_of({"rating": 9, "why": "wow"})] * 5)
    assert wrong.answer is None, "nothing is clamped"
    assert known(wrong.error).startswith(
        "unusable: no usable answer after 2 repairs: rating: Input should be 0, 1 or 2"
    )
    assert len(provider.seen) == 3
    refusal, provider = await asked(tmp_path / "a", answers({"type": "text", "text": "No."}, stop_reason="refusal"))
    assert refusal.error == "refusal: the model refused to answer (stop reason refusal)"
    assert len(provider.seen) == 1
    half = answers({"type": "text", "text": '{"rating"'}, stop_reason="max_tokens")
    cut, provider = await asked(tmp_path / "b", half, half)
    assert known(cut.error).startswith(
        "unusable: the answer was cut at the longest length allowed: set max_tokens higher"
    )
    assert len(provider.seen) == 2
    late, _ = await asked(tmp_path / "c", answers(pause=1.0), timeout=0.2)
    assert known(late.error).startswith("timeout: ")


def test_judges_with_other_parameters_have_other_names() -> None:
    judges = [claude("http://localhost:1", max_tokens=length) for length in (700, 800)]
    assert judges[0].slug != judges[1].slug
    assert judges[0].ref.params_hash != judges[1].ref.params_hash
    one, other = (claude(f"http://127.0.0.1:{port}") for port in (8001, 8002))
    assert (one.ref, one.slug) == (other.ref, other.slug), "an address is no parameter"
    assert Judge.of(open_model("offline:judge")).slug == "offline-judge"
    assert (CODE_JUDGE.slug, CODE_JUDGE.model) == ("code", None)
