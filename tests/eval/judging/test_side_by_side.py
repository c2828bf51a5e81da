"""Questions about one report: what they begin with is marked, and they are asked side by side."""

import asyncio
import json
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from drretail.eval.judging.question import LEFT_OUT, JudgeAnswer, JudgeQuestion, Ruling
from drretail.eval.judging.session import AT_ONCE, JudgeSession
from drretail.eval.judging.spending import CapReached
from drretail.prompts import Prompt
from drretail.records.score import SourceRef
from tests.build import scripted_judge
from tests.eval.judging.test_session import Taste, claude, judge_session, text_of
from tests.llm.provider import Provider

pytestmark = pytest.mark.anyio
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
    kept = [json.loads(line) for line in session.journal_path.read_text(encoding="utf-8").splitlines()]
    contents = [effect["request"]["messages"][0]["content"] for effect in kept]
    assert contents == ["Taste this.\nA dog bed.\nHow good is its crust?\n"] * 2


async def test_batches_and_prompts_that_share_nothing_are_not_marked(tmp_path: Path) -> None:
    said = text_of({"rating": 1, "why": "x"})
    with Provider(said) as provider, judge_session(claude(provider.url), tmp_path) as session:
        session.judge = replace(session.judge, in_batches=True)
        await session.ask_and_record(asking("crust"))
    assert provider.seen[0].body["messages"][0]["content"] == "Taste this.\nA dog bed.\nHow good is its crust?\n"


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
            return JudgeAnswer("scored", Taste(rating=1, why="x"), prompt.hash, 1)

        vars(session)["ask"] = ask
        return session


SIDES = "abcdefg"


async def test_the_first_of_each_beginning_is_asked_alone_and_the_others_at_once_within_bounds(tmp_path: Path) -> None:
    kitchen = Kitchen()
    with judge_session(scripted_judge(lambda _: None)[0], tmp_path) as session:
        questions = [asking(side, "cat" if side in "bd" else "dog") for side in SIDES]
        verdicts = await kitchen.serving(session).ask_and_record(*questions)
        assert [verdict.item for verdict in verdicts] == [*SIDES]
        assert sorted(kitchen.served[:2]) == ["a", "b"]
        assert kitchen.busy[:3] == [1, 2, 1]
        assert max(kitchen.busy) == AT_ONCE
        assert [verdict.item for verdict in session.file.lasts()] == [*SIDES]


async def test_in_batches_all_are_asked_at_once(tmp_path: Path) -> None:
    kitchen = Kitchen()
    with judge_session(scripted_judge(lambda _: None)[0], tmp_path) as session:
        session.judge = replace(session.judge, in_batches=True)
        await kitchen.serving(session).ask_and_record(*map(asking, SIDES))
        assert max(kitchen.busy) == len(SIDES)
        assert [verdict.item for verdict in session.file.lasts()] == [*SIDES]


@pytest.mark.parametrize(("fails_at", "kept"), [("a", ""), ("c", "abdefg")])
async def test_a_cap_in_the_midst_leaves_what_came_back_recorded(tmp_path: Path, fails_at: str, kept: str) -> None:
    kitchen = Kitchen(fails_at)
    with judge_session(scripted_judge(lambda _: None)[0], tmp_path) as session:
        with pytest.raises(CapReached):
            await kitchen.serving(session).ask_and_record(*map(asking, SIDES))
        assert [verdict.item for verdict in session.file.lasts()] == [*kept]
    assert len(kitchen.served) == (1 if fails_at == "a" else len(SIDES))


async def test_what_is_answered_is_not_asked_again_unless_its_sources_read_otherwise(tmp_path: Path) -> None:
    kitchen = Kitchen()
    page = SourceRef(id="W:1", sha256="a")
    with judge_session(scripted_judge(lambda _: None)[0], tmp_path) as session:
        kitchen.serving(session)
        for source in (page, page, page.model_copy(update={"sha256": "b"})):
            await session.ask_and_record(asking("a"), replace(asking("b"), sources=[source]))
    assert kitchen.served == ["a", "b", "b"]


async def test_an_item_that_the_answer_leaves_out_failed_and_the_others_did_not(tmp_path: Path) -> None:
    both = replace(asking("a"), items=("a", "b"), read=lambda answer: {"b": Ruling(answer.rating, "Because.")})
    with judge_session(scripted_judge(lambda _: None)[0], tmp_path) as session:
        left_out, ruled = await Kitchen().serving(session).ask_and_record(both)
    assert (left_out.state, left_out.error) == ("failed", LEFT_OUT)
    assert (ruled.state, ruled.value, ruled.reason) == ("scored", 1, "Because.")
