"""A model words the follow-ups of conversations. What is wanted in each turn stays as rules made it."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from drretail.llm.prompt import load_prompt, replaced, tagged
from drretail.querygen.by_model.session import Ask, ModelSession, ask_all
from drretail.records.base import Record
from drretail.records.query import Query, conversations

Talk = Sequence[Query]
_LONGEST = 400
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


# Models read the first line of the class below.
class FollowUps(Record):
    """The words of each note, in their order."""

    turns: tuple[str, ...]


def word_follow_ups(
    turns: Sequence[Query], session: ModelSession, on_end: Callable[[], object] = lambda: None
) -> tuple[list[Query], dict[str, str]]:
    """The turns of conversations in the model's words, and why some keep those of the rules, by their first ids."""
    talks, asks, prompt = [*conversations(turns)], list[Ask[FollowUps]](), load_prompt(__file__, "follow_ups")
    for talk in talks:
        notes = "\n".join(f"{number}. {turn.text}" for number, turn in enumerate(talk[1:], 1))
        message = prompt.render(question=tagged("question", talk[0].text), notes=notes)
        asks.append(Ask(talk[0].query_id, message, FollowUps, partial(_problem, talk)))
    answers = ask_all(session, asks, on_end)
    by = {"source": session.model.spec, "prompts": replaced()}
    worded = (_with(talk, answers.found.get(talk[0].query_id), by) for talk in talks)
    return [turn for talk in worded for turn in talk], answers.failed


def _with(talk: Talk, written: FollowUps | None, by: Mapping[str, object]) -> Talk:
    if written is None:
        return talk
    pairs = zip(talk[1:], written.turns, strict=True)
    return [talk[0], *(turn.model_copy(update={**by, "text": text.strip()}) for turn, text in pairs)]


def _problem(talk: Talk, written: FollowUps) -> str | None:
    """What is wrong with the words: they are too few or too long, or have other figures than their notes."""
    if len(written.turns) != len(talk) - 1 or not all(0 < len(text.strip()) <= _LONGEST for text in written.turns):
        return f"there are {len(talk) - 1} notes, and each needs its words, at most {_LONGEST} characters"
    pairs = [(turn.text, text) for turn, text in zip(talk[1:], written.turns, strict=True)]
    wrong = [note for note, text in pairs if {*_FIGURE.findall(note)} != {*_FIGURE.findall(text)}]
    return "\n".join(f"- the words of “{note}” have other figures than the note" for note in wrong) or None
