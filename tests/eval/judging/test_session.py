"""The judge seam: what goes to a judge, what is done with bad answers, and that nothing is asked twice.
of_repeat, record_if_missing: tests/eval/test_scoring.py. sibling: tests/eval/claims/test_turns.py.
"""

import asyncio
import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import pytest

from drretail.eval.judging.question import LEFT_OUT, JudgeAnswer, JudgeQuestion, Ruling, VerdictFile
from drretail.eval.judging.session import AT_ONCE, CODE_JUDGE, Again, Judge, JudgeSession
from drretail.eval.judging.spending import CapReached
from drretail.experiments.journal import read_effects
from drretail.llm.prompt import Prompt, tagged
from drretail.llm.registry import build_model
from drretail.records.base import Record
from tests.build import known, scripted_judge
from tests.llm.provider import Provider, Step, answers

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
    return Judge.of(build_model(f"anthropic:{name}", base_url=url, environ={"ANTHROPIC_API_KEY": KEY}, **settings))


def judge_session(judge: Judge, folder: Path, again: Again = "nothing", **about: Any) -> JudgeSession:
    fields: dict[str, Any] = {"metric": "taste", "version": 1, "run_id": "a/q1-r1", "report_sha": "r1"} | about
    return JudgeSession(judge, VerdictFile(folder / "q1-r1.jsonl"), again=again, **fields)


async def asked(folder: Path, *script: Step, **given: Any) -> tuple[JudgeAnswer[Taste], Provider]:
    with Provider(*script) as provider, judge_session(claude(provider.url, **given), folder) as session:
        return await session.ask("rating", "taste", PROMPT, VALUES, Taste), provider


async def test_the_schema_goes_out_as_the_models_own_structured_output_or_else_as_a_tool(tmp_path: Path) -> None:
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


@pytest.mark.parametrize(
    ("broken", "expected"), [("not json", "Invalid JSON"), ({"rating": "2", "why": "x"}, "rating"), ([2], "an object")]
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


def test_a_verdict_stands_until_its_report_its_words_or_the_rules_change(tmp_path: Path) -> None:
    with judge_session(CODE_JUDGE, tmp_path) as session:
        session.record("rating", "taste", "failed", prompt_hash="p1", error="timeout: late")
    changes: list[dict[str, Any]] = [{}, {"report_sha": "r2"}, {"rules": "paper"}, {"version": 2}]
    for change in changes:
        with judge_session(CODE_JUDGE, tmp_path, **change) as session:
            assert (session.existing("rating", "taste", "p1") is None) == bool(change), change
            assert session.existing("rating", "taste", "p2") is session.existing("rating", "smell", "p1") is None


def test_judges_with_other_parameters_have_other_names() -> None:
    judges = [claude("http://localhost:1", max_tokens=length) for length in (700, 800)]
    assert judges[0].slug != judges[1].slug
    assert judges[0].ref.params_hash != judges[1].ref.params_hash
    one, other = (claude(f"http://127.0.0.1:{port}") for port in (8001, 8002))
    assert (one.ref, one.slug) == (other.ref, other.slug), "an address is no parameter"
    assert Judge.of(build_model("offline:judge")).slug == "offline-judge"
    assert (CODE_JUDGE.slug, CODE_JUDGE.model) == ("code", None)


TWO_PARTS = Prompt("taste", "How good is its {{side}}?\n", "Taste this.\n{{report}}\n")


def asking(side: str, report: str = "A dog bed.") -> JudgeQuestion[Taste]:
    given = {"report": report, "side": side}
    return JudgeQuestion(
        "rating", side, TWO_PARTS, given, Taste, lambda answer: Ruling(answer.rating), begins_with=report
    )


async def test_what_questions_share_is_marked_for_claude_and_no_part_of_the_journal_s_keys(tmp_path: Path) -> None:
    with (
        Provider(text_of("no"), text_of({"rating": 1, "why": "x"})) as provider,
        judge_session(claude(provider.url), tmp_path) as session,
    ):
        await session.ask_and_record(asking("crust"))
    for request in provider.seen:  # the repair begins alike
        shared, own = request.body["messages"][0]["content"]
        assert shared == {"type": "text", "text": "Taste this.\nA dog bed.\n", "cache_control": {"type": "ephemeral"}}
        assert own == {"type": "text", "text": "How good is its crust?\n"}
    contents = [effect.request["messages"][0]["content"] for effect in read_effects(session.journal_path)]
    assert contents == ["Taste this.\nA dog bed.\nHow good is its crust?\n"] * 2


@dataclass
class Kitchen:
    """A judge that takes its time; ``busy`` is how many it serves after each that came in."""

    fails_at: str = ""
    busy: list[int] = field(default_factory=list[int])
    served: list[str] = field(default_factory=list[str])
    _now: int = 0

    def serving(self, session: JudgeSession) -> JudgeSession:
        """The session, whose judge is this one."""

        async def ask(stage: str, side: str, prompt: Prompt, *_: object, **__: object) -> JudgeAnswer[Taste]:
            self._now += 1
            self.busy.append(self._now)
            await asyncio.sleep(0.02 if side == "b" else 0.01)
            self._now -= 1
            self.served.append(side)
            if side == self.fails_at:
                raise CapReached("1 token")
            return JudgeAnswer(Taste(rating=1, why="x"), prompt.hash)

        vars(session)["ask"] = ask
        return session


SIDES = "abcdefg"


async def test_the_first_of_each_beginning_is_asked_alone_and_others_at_once_within_bounds(tmp_path: Path) -> None:
    kitchen = Kitchen()
    with judge_session(scripted_judge(lambda _: None)[0], tmp_path) as session:
        questions = [asking(side, "cat" if side in "bd" else "dog") for side in SIDES]
        verdicts = await kitchen.serving(session).ask_and_record(*questions)
        assert [verdict.item for verdict in verdicts] == [*SIDES]
        assert sorted(kitchen.served[:2]) == ["a", "b"]
        assert kitchen.busy[:3] == [1, 2, 1]
        assert max(kitchen.busy) == AT_ONCE
        assert [verdict.item for verdict in session.file.lasts()] == [*SIDES]


@pytest.mark.parametrize(("fails_at", "kept"), [("a", ""), ("c", "abdefg")])
async def test_a_cap_in_the_midst_leaves_what_came_back_recorded(tmp_path: Path, fails_at: str, kept: str) -> None:
    kitchen = Kitchen(fails_at)
    with judge_session(scripted_judge(lambda _: None)[0], tmp_path) as session:
        with pytest.raises(CapReached):
            await kitchen.serving(session).ask_and_record(*map(asking, SIDES))
        assert [verdict.item for verdict in session.file.lasts()] == [*kept]
    assert len(kitchen.served) == (1 if fails_at == "a" else len(SIDES))


async def test_an_item_that_the_answer_leaves_out_failed_and_the_others_did_not(tmp_path: Path) -> None:
    both = replace(asking("a"), items=("a", "b"), read=lambda answer: {"b": Ruling(answer.rating, "Because.")})
    with judge_session(scripted_judge(lambda _: None)[0], tmp_path) as session:
        left_out, ruled = await Kitchen().serving(session).ask_and_record(both)
    assert (left_out.state, left_out.error) == ("failed", LEFT_OUT)
    assert (ruled.state, ruled.value, ruled.reason) == ("scored", 1, "Because.")
