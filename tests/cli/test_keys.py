"""Keys never show: what the environment holds under providers' names is struck out wherever a text comes in or leaves.
Tests errors.py, parsing.py and viewer/drawing/screen.py.
"""

import gzip
import json
from base64 import b64encode
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import drretail.errors
from drretail.errors import ModelError, ToolError, describe_error, hide_keys, traceback_of, without_keys
from drretail.parsing import encodable, writable
from drretail.reports.text.untrusted import visible
from tests.cli.commands import Command
from tests.llm.provider import Provider, Request, Step, completes, fails

KEY = "sk-proj-Aa1/Bb2+Cc3=Dd4"


@pytest.fixture(autouse=True)
def nothing_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drretail.errors, "_hidden", set[str]())


class Gateway(Provider):
    """Repeats its key: in an answer, a call, an error, and its headers."""

    def answer(self, request: Request) -> Step:
        key = request.headers["authorization"].removeprefix("Bearer ")
        veiled = f"{key[:9]}\u200b{key[9:]} {key.replace('-', '&#45;')} {key.replace('-', chr(92) + '-')}"
        spellings = f"{veiled} {key} {b64encode(key.encode()).decode()} {key.encode().hex()} {json.dumps(key)}"
        if "bath" in str(request.body):
            return fails(400, f"the key {spellings}", x_key=key)
        function = {"name": "calculator", "arguments": json.dumps({"expression": key})}
        message: dict[str, Any] = {"content": f"By {spellings} no feeder fits."}
        if len(request.body["messages"]) < 4:
            message["tool_calls"] = [{"id": f"c{key}", "type": "function", "function": function}]
        step = completes(message, "tool_calls" if "tool_calls" in message else "stop")
        body = json.loads(step.body) | {"id": key, "model": key}
        return Step(body=json.dumps(body).encode(), headers=(("content-type", "application/json"), ("x-key", key)))


def texts_below(folder: Path) -> Iterator[tuple[Path, str]]:
    for path in folder.rglob("*"):
        if path.is_file() and "w" not in path.relative_to(folder).parts:
            data = path.read_bytes()
            yield path, (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8", "replace")


def test_a_key_that_a_gateway_echoes_is_in_no_journal_text_page_export_or_traceback(
    drretail: Command, shop: str, queries: str, tmp_path: Path
) -> None:
    spellings = (KEY, KEY.encode().hex(), b64encode(KEY.encode()).decode()[:12])
    with Gateway() as server:
        asked = f"openai:m --base-url {server.url}/v1 --debug"
        commands = (
            f"run --world {shop} --queries {queries} --model {asked} --no-floors --to exp",
            f"score exp --judge {asked} --metrics quality",
            "report exp --to page.html",
            "report exp",
            "export exp --format chat --to out.jsonl",
            f"doctor --model {asked}",
        )
        for command in commands:
            done = drretail(*command.split(), OPENAI_API_KEY=KEY)
            shown = done.stdout + done.stderr
            assert done.returncode in (0, 2, 3), (command, shown)
            assert not [each for each in spellings if each in shown], command
    read = [(path, visible(unescape(text)).replace("\\", "")) for path, text in texts_below(tmp_path)]
    found = [(path, each) for path, text in read for each in spellings if each in text]
    assert found == []
    assert "***" in str([*texts_below(tmp_path / "exp")])


def test_what_errors_and_texts_of_users_code_say_of_a_key_is_struck() -> None:
    hide_keys(
        {
            "GROQ_API_KEY": KEY,
            "OPENAI_CUSTOM_HEADERS": "x-gate: letmein-2026",
            "MINE": "other-secret-7",
            "A_API_KEY": "none",
        },
        "MINE",
    )
    said = f"{KEY} letmein-2026 other-secret-7 none"
    try:
        raise ValueError(said)
    except ValueError as problem:
        shown = [describe_error(problem), traceback_of(problem)]
    shown += [ModelError("agent", said).message, ToolError("timeout", said).message, str(writable({said: [said]}))]
    for text in shown:
        assert not [each for each in said.split()[:3] if each in text]
        assert "none" in text
    assert encodable(said) == said
    assert without_keys("A report without one.") == "A report without one."
