"""A model's provider that misbehaves: a server on loopback that speaks OpenAI's and Anthropic's protocols.

It searches once and then reports, as an agent's model, and fills schemas, as a judge's. Each request, or the first of
each conversation alone, meets one of the ways in which real servers go wrong. The command line asks it in a process of
its own.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from drretail.experiments.experiment import read_runs

from .bench import MAIN, Bench, Ended, Row, run

QUESTION = "Which bottle is the best?"
COUNTED = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
PASSING = ("429", "500", "529", "drop", "cut", "broken")
DENIED = ("401", "403", "404", "402")
SIDE_BY_SIDE = 4
EXPERIMENT_CAP, RUN_CAP = 60_000, 40_000
"""Tokens: of some runs that search once, and of some searches."""
KEYS = dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY"), "sk-benchmark-0123456789")
NOTE = "without a possible count of tokens"

Body = dict[str, Any]


def _arguments(text: object) -> Callable[[Body], object]:
    """A change of an answer: its first call has these arguments."""

    def change(answer: Body) -> None:
        for call in _message(answer).get("tool_calls", ())[:1]:
            call["function"]["arguments"] = text

    return change


def _calls(**fields: object) -> Callable[[Body], object]:
    """A change of an answer: its calls have these fields; None leaves one out."""

    def change(answer: Body) -> None:
        for call in _message(answer).get("tool_calls", ()):
            for name, value in fields.items():
                call.pop(name, None)
                if value is not None:
                    call[name] = value

    return change


def _named(name: str) -> Callable[[Body], object]:
    def change(answer: Body) -> None:
        for call in _message(answer).get("tool_calls", ())[:1]:
            call["function"]["name"] = name

    return change


def _said(change: Callable[[Body, str], object]) -> Callable[[Body], object]:
    """A change of an answer's message, given its text."""
    return lambda answer: change(_message(answer), _message(answer).get("content") or "")


def _usage(usage: object) -> Callable[[Body], object]:
    return lambda answer: answer.update(usage=usage)


def _message(answer: Body) -> Body:
    return answer["choices"][0]["message"]


def _calls_in_text(form: str) -> Callable[[Body], object]:
    def change(answer: Body) -> None:
        message = _message(answer)
        if calls := message.pop("tool_calls", None):
            message["content"] = "\n".join(
                form % (call["function"]["name"], call["function"]["arguments"]) for call in calls
            )
            answer["choices"][0]["finish_reason"] = "stop"

    return change


def _ended(reason: str, content: str = "", **fields: object) -> Callable[[Body], object]:
    def change(answer: Body) -> None:
        message = _message(answer)
        message.pop("tool_calls", None)
        message.update({"content": content, **fields})
        answer["choices"][0]["finish_reason"] = reason

    return change


def _cut_short(answer: Body) -> None:
    answer["choices"][0]["finish_reason"] = "length"
    message = _message(answer)
    message["content"] = (message["content"] or "")[:150] or None
    for call in message.get("tool_calls", ()):
        call["function"]["arguments"] = call["function"]["arguments"][:12]


def _many_calls(answer: Body) -> None:
    if calls := _message(answer).get("tool_calls"):
        _message(answer)["tool_calls"] = calls * 30


CHANGED: Mapping[str, Callable[[Body], object]] = {
    "arguments that end early": _arguments('{"query": "bottle", "price_max": 35'),
    "arguments that end twice": _arguments('{"query": "bottle"}}'),
    "arguments of Python": _arguments("{'query': 'bottle', 'price_max': None}"),
    "arguments as an object": _arguments({"query": "bottle"}),
    "no arguments": _arguments(""),
    "null arguments": _arguments(None),
    "arguments packed twice": _arguments(json.dumps('{"query": "bottle"}')),
    "calls without ids": _calls(id=None),
    "calls with one id": _calls(id="same"),
    "calls with empty ids": _calls(id=""),
    "calls without a type": _calls(type=None),
    "a tool with a prefix": _named("functions.product_catalog_search"),
    "an unknown tool": _named("search_shop"),
    "thirty calls": _many_calls,
    "a call in tags": _calls_in_text('<tool_call>{"name": "%s", "arguments": %s}</tool_call>'),
    "a call in a fence": _calls_in_text('```json\n{"name": "%s", "arguments": %s}\n```'),
    "a call as an action": _calls_in_text("Action: %s\nAction Input: %s"),
    "no choices": lambda answer: answer.update(choices=[]),
    "null choices": lambda answer: answer.update(choices=None),
    "a null message": lambda answer: answer["choices"][0].update(message=None),
    "nothing said": _ended("stop"),
    "a filter": _ended("content_filter"),
    "a refusal": _ended("stop", refusal="I can't help with that."),
    "cut short": _cut_short,
    "no end": lambda answer: answer["choices"][0].pop("finish_reason"),
    "reasoning beside": _said(lambda message, text: message.update(reasoning_content="I think. " * 20, content=text)),
    "reasoning alone": _said(lambda message, text: message.update(reasoning_content=text or "Hm.", content="")),
    "thoughts in tags": _said(lambda message, text: message.update(content=f"<think>\n<report>hm\n</think>\n{text}")),
    "parts": _said(lambda message, text: message.update(content=[{"type": "text", "text": text}])),
    "half a character": _said(lambda message, text: message.update(content=f"{text}\ud83d \x00")),
    "unknown fields": lambda answer: answer.update(system_fingerprint=None, foo={"bar": [1]}, prompt_logprobs=None),
    "no usage": lambda answer: answer.pop("usage"),
    "null usage": _usage(None),
    "usage as text": _usage({"prompt_tokens": "100", "completion_tokens": "20", "total_tokens": None}),
    "a part of usage": _usage({"prompt_tokens": 100}),
    "negative usage": _usage(dict.fromkeys(COUNTED, -1)),
    "zero usage": _usage(dict.fromkeys(COUNTED, 0)),
    "more cached than sent": _usage(COUNTED | {"prompt_tokens_details": {"cached_tokens": 5000, "audio_tokens": None}}),
}
"""Answers that are whole and wrong."""
BROKEN: Mapping[str, tuple[int, bytes | None]] = {
    "drop": (200, None),
    "cut": (200, None),
    "broken": (200, b'{"id": "c", "choices": [{"ind'),
    "empty": (200, b""),
    "HTML": (200, b"<html>sign in</html>"),
    "no UTF-8": (200, b'{"id": "\xff\xfe"}'),
    "an error with status 200": (200, b'{"error": {"message": "upstream overloaded", "code": 502}}'),
    "HTML of 502": (502, b"<html>bad gateway</html>"),
    "too long": (400, b'{"error": {"message": "This model\'s maximum context length is 4096 tokens.", "code": 400}}'),
    **{
        status: (int(status), None) for status in ("400", "401", "402", "403", "404", "413", "429", "500", "503", "529")
    },
}
"""Answers that are none; without bytes, an error of the protocol."""
STREAMED = ("a stream cut", "an error in a stream", "no JSON in a stream", "no [DONE]", "no finish in a stream")


@dataclass
class Faults:
    """What a server is to do wrong, and what it did."""

    fault: str | None = None
    first_alone: bool = False
    """Only the first request of each conversation meets the fault."""
    every: int = 0
    """Each so-manieth request meets the next of the faults that pass."""
    after: int = 0
    """Requests that are answered before all others meet the fault."""
    usage: Mapping[str, Any] | None = field(default_factory=lambda: COUNTED)
    endless: bool = False
    """Every answer asks for another search."""
    within: str = ""
    """What the last words of the user have in a request that meets the fault."""
    asked: int = 0
    injected: int = 0
    answered: int = 0
    conversations: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next(self, body: Body) -> str | None:
        """The fault that this request meets. Trials of a model before its first run count as no answer."""
        with self.lock:
            self.asked += 1
            key = json.dumps(body.get("messages"))
            self.conversations[key] += 1
            users = [message for message in body.get("messages", ()) if message["role"] == "user"]
            is_within = self.within in json.dumps(users[-1:], ensure_ascii=False)
            fault = self.fault if self.asked > self.after and is_within else None
            if self.first_alone and self.conversations[key] > 1:
                fault = None
            if self.every and self.asked % self.every == 0:
                fault = PASSING[self.injected % len(PASSING)]
            self.injected += fault is not None
            self.answered += fault is None and QUESTION in key
            return fault


class Provider(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, faults: Faults) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.faults = faults

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has given up is part of the play."""

    def __enter__(self) -> "Provider":
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Nothing: the table is the output."""

    def do_GET(self) -> None:
        self._send(200, b'{"object": "list", "data": [{"id": "m", "object": "model"}]}')

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        faults: Faults = self.server.faults  # pyright: ignore[reportAttributeAccessIssue]  # a Provider
        fault, is_anthropic = faults.next(body), self.path.endswith("/messages")
        answer = _answer(body, faults)
        if fault is not None and fault in BROKEN:
            self._break(fault, json.dumps(answer).encode())
            return
        if fault is not None and fault in CHANGED:
            CHANGED[fault](answer)
        if is_anthropic:
            answer = _of_anthropic(answer)
        if body.get("stream") and not is_anthropic:
            self._stream(answer, fault)
        else:
            self._send(200, json.dumps(answer).encode())

    def _break(self, fault: str, whole: bytes) -> None:
        status, data = BROKEN[fault]
        if fault == "drop":
            self.close_connection = True
        elif fault == "cut":
            self._send(200, whole[: len(whole) // 2], len(whole))
            self.close_connection = True
        else:
            error = {"type": "error", "error": {"type": "api_error", "code": fault, "message": "injected"}}
            self._send(status, json.dumps(error).encode() if data is None else data)

    def _send(self, status: int, data: bytes, length: int | None = None) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data) if length is None else length))
        self.send_header("retry-after-ms", "10")
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, answer: Body, fault: str | None) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for number, event in enumerate(_events(answer)):
            if number == 1 and fault == "a stream cut":
                return
            if number == 1 and fault == "an error in a stream":
                event = {"error": {"message": "the engine died", "code": 500}}
            data = b"{no" if number == 1 and fault == "no JSON in a stream" else json.dumps(event).encode()
            if fault == "no finish in a stream" and '"finish_reason": "' in json.dumps(event):
                continue
            self.wfile.write(b"data: " + data + b"\n\n")
        if fault != "no [DONE]":
            self.wfile.write(b"data: [DONE]\n\n")


def _events(answer: Body) -> Iterator[Body]:
    """The chunks of an answer that is streamed."""
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    for choice in answer.get("choices") or ():
        message = choice["message"] or {}
        deltas: list[Body] = [{"role": "assistant", "content": ""}]
        text = message.get("content") or ""
        deltas += [{"content": text[at : at + 200]} for at in range(0, len(text), 200)] if isinstance(text, str) else []
        for index, call in enumerate(message.get("tool_calls", ())):
            deltas.append({"tool_calls": [{"index": index, **call}]})
        for delta in deltas:
            yield head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        yield head | {"choices": [{"index": 0, "delta": {}, "finish_reason": choice.get("finish_reason")}]}
    if answer.get("usage"):
        yield head | {"choices": [], "usage": answer["usage"]}


def _answer(body: Body, faults: Faults) -> Body:
    """One search, and then a report; a schema that is asked for, filled."""
    report = f"# Report\n\n{'Nothing here suits you better than what you have. ' * 8}\n\n```picks\n```"
    message: Body = {"role": "assistant", "content": report}
    turns = sum(entry["role"] == "tool" for entry in body["messages"])
    tools = {tool.get("function", tool)["name"]: tool.get("function", tool) for tool in body.get("tools", ())}
    schema = (body.get("response_format") or {}).get("json_schema", {}).get("schema")
    search = "product_catalog_search"
    if schema is not None:
        message["content"] = json.dumps(_filled(schema, schema))
    elif tools and search not in tools:
        name, tool = next(iter(tools.items()))
        filled = _filled(tool.get("parameters") or tool["input_schema"], {})
        message |= {"content": None, "tool_calls": [_call("call_1", name, filled)]}
    elif tools and (faults.endless or not turns):
        message |= {"content": None, "tool_calls": [_call("call_1", search, {"query": f"bottle {turns}"})]}
    reason = "tool_calls" if "tool_calls" in message else "stop"
    choice = {"index": 0, "message": message, "finish_reason": reason}
    counted = {} if faults.usage is None else {"usage": dict(faults.usage)}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], **counted}


def _call(name: str, tool: str, arguments: object) -> Body:
    return {"id": name, "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}


def _filled(schema: Body, root: Body) -> object:
    """The plainest value of a schema."""
    if "$ref" in schema:
        return _filled((root or schema)["$defs"][schema["$ref"].rpartition("/")[2]], root)
    for name in ("enum", "anyOf", "oneOf"):
        if name in schema:
            return schema[name][0] if name == "enum" else _filled(schema[name][-1], root or schema)
    if "properties" in schema:
        return {name: _filled(value, root or schema) for name, value in schema["properties"].items()}
    plain = {"array": [], "string": "a word", "integer": 1, "number": 1, "boolean": True, "object": {}}
    return schema.get("const", plain.get(str(schema.get("type"))))


def _of_anthropic(answer: Body) -> Body:
    """The same in the other protocol."""
    if not answer.get("choices") or answer["choices"][0]["message"] is None:
        return {**answer, "type": "message", "role": "assistant", "content": answer.get("choices")}
    choice = answer["choices"][0]
    message = choice["message"]
    parts: list[Body] = [{"type": "text", "text": message["content"]}] if message.get("content") else []
    for call in message.get("tool_calls", ()):
        try:
            given = json.loads(call["function"]["arguments"])
        except (TypeError, ValueError):
            given = call["function"]["arguments"]
        parts.append({"type": "tool_use", "id": call.get("id"), "name": call["function"]["name"], "input": given})
    usage = answer.get("usage") or {}
    counts = {"input_tokens": usage.get("prompt_tokens"), "output_tokens": usage.get("completion_tokens")}
    reasons = {"tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal"}
    made: Body = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": parts, "usage": counts}
    return made | {"stop_reason": reasons.get(str(choice.get("finish_reason")), "end_turn"), "stop_sequence": None}


def command(place: Path, *arguments: str, **variables: str) -> Ended:
    """The command line in a process of its own, with keys, few retries, and these variables."""
    environment = {**os.environ, **KEYS, "DRRETAIL_MODEL_RETRIES": "5", "DRRETAIL_CACHE_DIR": str(place / "cache")}
    try:
        done = subprocess.run(  # noqa: S603 -- ourselves
            [sys.executable, "-c", MAIN, *arguments],
            cwd=place,
            env={**environment, **variables},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Ended(-1, "it hangs")
    return Ended(done.returncode, done.stdout + done.stderr)


def misbehaviours(bench: Bench) -> Row:
    """Each way of going wrong, in ``run`` and in ``score``, once or always, streamed or not, by both protocols."""
    row = Row(
        "a provider's answers", f"{len(CHANGED) + len(BROKEN) + len(STREAMED)} ways, in run and score, streamed too"
    )
    cases = [
        (fault, first_alone, stream, kind)
        for fault in (*CHANGED, *BROKEN, *STREAMED)
        for first_alone in (True, False)
        for stream in ("true", "false")
        for kind in ("openai", "anthropic")
        if not (kind == "anthropic" and (stream == "true" or fault in STREAMED))
        if not (fault in STREAMED and stream == "false")
    ]
    start = ("run", "--world", "w", "--queries", "q.jsonl", "--no-floors", "--quiet", "--agent", "react", "--to", "new")
    judge = ("score", "exp", "--metrics", "faithfulness,quality", "--quiet")
    for fault, first_alone, stream, kind in bench.sample(cases, 10, len(cases)):
        with bench.place() as place, apart(Faults(fault, first_alone=first_alone)) as port:
            address = f"{kind}=http://127.0.0.1:{port}{'' if kind == 'anthropic' else '/v1'}"
            variables = {**KEYS, "DRRETAIL_STREAM": stream, "DRRETAIL_MODEL_RETRIES": "1"}
            when = f"{fault}{' at first' if first_alone else ''}, {kind}{', streamed' if stream == 'true' else ''}"
            for command_line, role in ((start, "--model"), (judge, "--judge")):
                asked = (*command_line, role, f"{kind}:m", "--base-url", address)
                ended = run(place, asked, partial(os.environ.update, variables))
                row.tried += 1
                if problem := ended.problem:
                    row.add("wrong", f"{asked[0]}: {when}: {problem}")
                if KEYS["OPENAI_API_KEY"] in ended.output:
                    row.add("leaked", f"{asked[0]}: {when}: the key is printed")
            labels = {folder.name for folder in (place / "new" / "runs").glob("*")}
            if labels - {f"react@{kind}-m"}:
                row.add("wrong", f"run: {when}: its system is called {labels}")
    return row


@contextmanager
def apart(faults: Faults) -> Generator[int]:
    """The port of a provider in a process of its own: threads beside this one would hinder commands that are forked."""
    server = Provider(faults)
    child = os.fork()
    if not child:
        server.serve_forever(poll_interval=0.01)
    try:
        server.socket.close()
        yield server.server_port
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def passing(bench: Bench) -> Row:
    """Faults that pass, in each third request; a run that ends otherwise than done is lost."""
    row, repeats = (
        Row("a provider's bad hour", "each third request is dropped, cut, broken, 429 or 5xx"),
        bench.tries(12, 60),
    )
    with bench.place() as place, Provider(Faults(every=3)) as provider:
        ended = run_question(place, "passing", provider, repeats)
        done = sum(run.report is not None for run in read_runs(place / "passing"))
        row.tried = provider.faults.injected
        if done != repeats or ended.problem:
            row.add("lost", f"{repeats - done} of {repeats} runs: {ended.problem}")
    return row


def denials(bench: Bench) -> Row:
    """A denial after some answers: calls beyond those under way, what was paid and is gone, and how it is told."""
    row, repeats = Row("denied keys", "keys, models and accounts that are denied, then accepted"), bench.tries(12, 60)
    for status in bench.sample(DENIED, 1, len(DENIED)):
        for after in (0, 7):
            with bench.place() as place, Provider(Faults(status, after=after)) as provider:
                row.tried += 1
                first = run_question(place, "denied", provider, repeats)
                wasted, paid = provider.faults.injected - SIDE_BY_SIDE, provider.faults.answered
                provider.faults = Faults()
                again = run_question(place, "denied", provider, repeats)
                used = sum(usage.calls for run in read_runs(place / "denied") for usage in run.usage.values())
                if wasted > 0:
                    row.add("lost", f"{status}: {wasted} calls after the first that was denied")
                if first.code != 2 or "OPENAI_API_KEY" not in first.output:
                    row.add("wrong", f"{status}: exit code {first.code}, and no sentence that names the variable")
                if again.code:
                    row.add("lost", f"{status}: with the right key it does not go on: {again.output[-200:]}")
                if twice := paid + provider.faults.answered - used:
                    row.add("lost", f"{status}: {twice} answers were paid for twice")
    return row


def caps(bench: Bench) -> Row:
    """Caps on tokens where a provider counts none, or impossible ones."""
    row = Row(
        "uncounted tokens", "caps of an experiment and of a run, by a provider that counts none or impossible ones"
    )
    counts = {"none": None, "0": dict.fromkeys(COUNTED, 0), "negative": dict.fromkeys(COUNTED, -100)}
    counts |= {"10^12": dict.fromkeys(COUNTED, 10**12), "a part": {"completion_tokens": 20}}
    for name, usage in bench.sample(counts.items(), 1, len(counts)):
        with bench.place() as place, Provider(Faults(usage=usage)) as provider:
            row.tried += 2
            capped = run_question(place, "capped", provider, 12, "--max-tokens", str(EXPERIMENT_CAP))
            tokens = tokens_of(place / "capped")
            if capped.code != 3 or not tokens or sum(tokens) > EXPERIMENT_CAP:
                row.add("wrong", f"{name}, cap of the experiment: exit code {capped.code}, runs took {tokens}")
            if NOTE not in " ".join(capped.output.split()):
                row.add("wrong", f"{name}: nothing says that tokens are estimated")
            provider.faults = Faults(usage=usage, endless=True)
            run_question(place, "limited", provider, bench.tries(1, 4), "--vary", f"tokens={RUN_CAP}")
            tokens = tokens_of(place / "limited")
            if not tokens or max(tokens) > RUN_CAP:
                row.add("wrong", f"{name}, cap of a run: runs took {tokens}")
    return row


def run_question(place: Path, name: str, provider: Provider, repeats: int, *more: str) -> Ended:
    """Runs of react on one question, into a folder of that name."""
    question = {"query_id": "q1", "text": QUESTION, "source": "benchmark"}
    (place / "question.jsonl").write_text(f"{json.dumps(question)}\n", "utf-8")
    asked = [
        "run",
        "--world",
        "w",
        "--no-floors",
        "--queries",
        "question.jsonl",
        "--to",
        name,
        "--repeats",
        str(repeats),
    ]
    asked += ["--agent", "react", "--vary", "without=web", "--parallel", str(SIDE_BY_SIDE), "--model", "openai:m"]
    return command(place, *asked, "--base-url", f"http://127.0.0.1:{provider.server_port}/v1", *more)


def tokens_of(experiment: Path) -> Sequence[int]:
    kinds = ("input_uncached", "cache_read", "cache_creation", "output")
    runs = read_runs(experiment)
    return [sum(getattr(used, kind) for used in run.usage.values() for kind in kinds) for run in runs]
