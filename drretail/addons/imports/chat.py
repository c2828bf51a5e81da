"""Logs of an assistant as runs: each conversation is a run, and its user a cluster."""

from collections import Counter
from pathlib import Path
from typing import Any

from drretail.addons.assistants.redaction import WORDS
from drretail.addons.imports.conversation import READ_ROLES, Conversation, answered_turns
from drretail.addons.imports.dialects.dialect import time_of
from drretail.addons.imports.dialects.reading import read_log
from drretail.addons.imports.material import (
    CUT,
    LONGEST_REPORT,
    SAME_ROW,
    TOO_LONG,
    FileRow,
    ForeignReport,
    ForeignTask,
    Material,
    file_stem,
)
from drretail.addons.imports.trace import trace_of
from drretail.errors import UserError
from drretail.records.base import sha256_of
from drretail.records.run import Turn


def read_chat(path: Path) -> Material:
    """Reads each conversation as a run: what the shopper wrote is the question, the assistant's answers are the report.

    Each conversation is a question of its own, and counts as often as it was had: equal words of different users, at
    different times or without an id are different conversations. Only a row that repeats the id, the user, the time and
    the words of another is that row again.
    """
    material = Material()
    distinct: dict[tuple[Any, ...], tuple[Conversation, FileRow, str, str]] = {}
    unasked = ""
    for conversation, rows in read_log(path, material):
        for where, reason in conversation.left_out.items():
            material.rows.leave_out(reason, where)
        row, *others = (row for row in rows if row.where not in conversation.left_out)
        question = "\n\n".join(message.text for message in conversation.messages if message.role == "user").strip()
        answer = "\n\n".join(answer for _, answer, _ in answered_turns(conversation) if answer)
        system = conversation.agent or file_stem(row.file)
        key = (system, conversation.id or row.where, conversation.user, conversation.time, question, answer)
        if not question or len(answer) > LONGEST_REPORT:
            roles = ", ".join(sorted({message.role or "none" for message in conversation.messages})) or "none"
            unasked = f"{row.where} has no message of a user, only of the roles {roles}: name them user and assistant."
            reason = next((m.role for m in conversation.messages if m.role == CUT), "no question of a user in it")
            material.rows.leave_out(TOO_LONG if question else reason, row.where, 1 + len(others))
        elif key in distinct:
            material.rows.merge(SAME_ROW, row.where, 1 + len(others))
        else:
            distinct[key] = conversation, row, question, answer
            material.rows.use()
            if others:
                material.rows.merge("a row of one conversation with another", others[0].where, len(others))
    ids = Counter(conversation.id for conversation, *_ in distinct.values())
    places: Counter[tuple[str, str]] = Counter()
    for (system, *_), (conversation, row, question, answer) in distinct.items():
        turns = answered_turns(conversation)
        user = None if conversation.user in ("", *WORDS.values()) else conversation.user  # a redacted one is nobody
        if user is None and ids[conversation.id] > 1:
            user = conversation.id or None  # the rows of one session are one person's
        # Two logs pair the conversations of one user's same words, in their order.
        first_id = conversation.id or sha256_of(question if user is None else [user, question])[:12]
        place = places[system, first_id] + 1
        task_id = first_id if place == 1 else f"{first_id}-{place}"
        # It may be another conversation's own id, or another question's where two assistants count from 1.
        while (place > 1 and task_id in ids) or _asks_another(material, task_id, question):
            place += 1
            task_id = f"{first_id}-{place}"
        places[system, first_id] = place
        time = time_of(conversation.time)
        material.unread_times += [conversation.time] if conversation.time and time is None else []
        task = ForeignTask(task_id, question, user_id=user, time=time)
        material.add_task(task, row.where)
        placed: list[Turn] = []  # the turns with the places of their answers in the report
        for asked, reply, steps in turns if len(turns) > 1 else ():
            if reply:
                start = placed[-1].end + 2 if placed else 0
                placed.append(Turn(question=asked, start=start, end=start + len(reply), steps=steps))
        material.add_report(ForeignReport(system, task_id, answer, row.where, trace_of(conversation), tuple(placed)))
        roles = [message.role or "none" for message in conversation.messages if message.role not in READ_ROLES]
        unread = conversation.unread + Counter(f"a message of the role {role}" for role in roles)
        material.parts.use(used := len(conversation.messages) - len(roles))
        material.parts.take(used + unread.total())
        for reason, count in unread.items():
            material.parts.leave_out(reason, row.where, count)
    if unasked and not material.reports:
        raise UserError(unasked)
    return material


def _asks_another(material: Material, task_id: str, question: str) -> bool:
    held = material.tasks.get(task_id)
    return held is not None and held.text != question
