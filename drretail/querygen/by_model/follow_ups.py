"""A model words the follow-ups of conversations. What is wanted in each turn stays as rules made it."""

import re
from collections.abc import Callable, Sequence
from functools import partial

from drretail.llm.prompt import load_prompt, replaced, tagged
from drretail.querygen.by_model.session import Ask, ModelSession, ask_all
from drretail.records.base import Record
from drretail.records.query import Query, turns_until

_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


# Models read the first line of the class below.
class FollowUps(Record):
    """The words of each note, in their order."""

    turns: tuple[str, ...]


def word_follow_ups(
    queries: Sequence[Query], session: ModelSession, on_end: Callable[[], object] = lambda: None
) -> tuple[list[Query], dict[str, str]]:
    """The turns of conversations in the model's words, and why some keep those of the rules, by their first ids."""
    prompt, followed = load_prompt(__file__, "follow_ups"), {query.after for query in queries}
    talks = {turns[0].query_id: turns for key, turns in turns_until(queries).items() if key not in followed}
    asks = list[Ask[FollowUps]]()
    for first, *later in talks.values():
        notes = "\n".join(f"{number}. {turn.text}" for number, turn in enumerate(later, 1))
        message = prompt.render(question=tagged("question", first.text), notes=notes)
        asks.append(Ask(first.query_id, message, FollowUps, partial(_problem, later)))
    answers, worded = ask_all(session, asks, on_end), {query.query_id: query for query in queries}
    by = {"source": session.model.spec, "prompts": replaced()}
    for first_id, written in answers.found.items():
        for turn, text in zip(talks[first_id][1:], written.turns, strict=True):
            worded[turn.query_id] = turn.model_copy(update={**by, "text": text.strip()})
    return [*worded.values()], answers.failed


def _problem(notes: Sequence[Query], written: FollowUps) -> str | None:
    """What is wrong with the words: some are missing, or have other figures than their notes."""
    if len(written.turns) != len(notes) or not all(map(str.strip, written.turns)):
        return f"there are {len(notes)} notes, and each needs its words"
    pairs = [(turn.text, text) for turn, text in zip(notes, written.turns, strict=True)]
    wrong = [note for note, text in pairs if {*_FIGURE.findall(note)} != {*_FIGURE.findall(text)}]
    return "\n".join(f"- the words of “{note}” have other figures than the note" for note in wrong) or None
