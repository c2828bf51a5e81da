"""Conversations with models as chat JSONL: what fine-tuning takes (OpenAI's chat format, with tools)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from drretail.exports.conversations import conversations
from drretail.exports.formats import Form, nothing_left
from drretail.exports.selection import Chosen, Selection
from drretail.files import write_lines


def write(selection: Selection, to: Path) -> str:
    """A line a conversation: messages, tools, and whose it is; of an agent of several roles several lines a run."""
    counted = {"runs": 0, "lines": 0}

    def lines() -> Iterator[str]:
        for chosen in selection:
            held = [
                json.dumps(selection.shown(line, chosen.query.query_id), ensure_ascii=False) for line in _lines(chosen)
            ]
            counted["runs"] += bool(held)
            counted["lines"] += len(held)
            selection.left_out["without a journal"] += not held
            yield from held
        if not counted["lines"]:
            raise nothing_left(selection)

    write_lines(to, lines())
    return f"{counted['lines']:,} conversations of {counted['runs']:,} runs"


def _lines(chosen: Chosen) -> Iterator[dict[str, Any]]:
    run = chosen.run
    scores = {f"{score.metric} {score.variant}": score.value for score in chosen.got if score.value is not None}
    for held in conversations(run, chosen.query, chosen.folder):
        about = {"run_id": run.run_id, "system": run.system, "query_id": run.query_id, "repeat": run.repeat}
        place = {"role": held.role, "path": held.path, "model": held.model}
        yield {"messages": held.messages, "tools": held.tools, **about, **place, "scores": scores}


FORM = Form("chat.jsonl", write, redacts=True)
