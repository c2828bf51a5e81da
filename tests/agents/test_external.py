"""Commands and addresses that are agents: what is recorded of them, and what becomes of those that misbehave."""

import asyncio
import json
import re
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from drretail.agents.registry import named_agent
from drretail.agents.running.estimate import estimate_left
from drretail.agents.running.run import run_systems
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest
from drretail.api.systems import named_agents
from drretail.doors.sealing import Network, why_unsealed
from drretail.env.world import World
from drretail.errors import UserError, install_line
from drretail.experiments.experiment import run_path
from drretail.experiments.run_file import Recorded, read_recorded
from drretail.llm.registry import Model
from drretail.llm.scripted import scripted_model
from drretail.llm.usage import ExperimentBudget
from drretail.records.reading import Pick
from drretail.records.run import CART_DECIDES, CLIENT, Limits
from drretail.reports.text.evidence_ids import web_evidence_id
from tests.agents.conftest import QUERY, record
from tests.agents.external_agents import command
from tests.build import known
from tests.shop import USER

pytest.importorskip("mcp", reason="no MCP: pip install mcp")

GUIDE = "https://birds.example/clean"
FEEDER = "The tube feeder costs $24.99 [P:B0TEST0001]."


def sut(world: World, spec: str, seconds: int = 60) -> SystemUnderTest:
    name, agent = named_agent(spec)
    return SystemUnderTest.of(name, agent, {}, world, limits=Limits(seconds=seconds))


def recorded(world: World, spec: str, seconds: int = 60) -> Recorded:
    return record(world, sut(world, spec, seconds))


def failure(world: World, spec: str, seconds: int = 60) -> tuple[str, str]:
    error = known(recorded(world, spec, seconds).run.error)
    return error.kind, error.message


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except FileNotFoundError:
        return False


def test_a_command_is_told_its_task_and_its_run_is_recorded_like_ours(world: World, tmp_path: Path) -> None:
    code = f"""
open({str(tmp_path / "asked")!r}, "w").write(json.dumps(asked))
call("product_catalog_search", query="tube feeder")
call("get_user_profile", user_id=asked["user"])
call("update_user_profile", user_id=asked["user"], first_name="Zoe")
print({FEEDER!r} + "\\n\\n```picks\\nP:B0TEST0001 x 2\\n```")
"""
    made = recorded(world, command(tmp_path, code), seconds=30)
    run = made.run
    assert (run.status, run.report) == ("done", FEEDER)
    assert run.picks == (Pick(product="B0TEST0001", quantity=2),)
    assert [step.name for step in run.steps] == ["product_catalog_search", "get_user_profile", "update_user_profile"]
    assert [citation.evidence_id for citation in run.citations] == ["P:B0TEST0001"]
    assert "P:B0TEST0001" in {entry.id for entry in made.evidence}
    assert [(change.field, change.after) for change in run.state_diff] == [("first_name", "Zoe")]

    document = json.loads((tmp_path / "asked").read_text())
    assert (document["query"], document["user"], document["seconds"]) == (QUERY.text, USER, 30)
    assert document["today"] == world.manifest.now.date().isoformat()
    assert QUERY.text in document["instructions"]
    assert "picks" in document["instructions"]


TUBE = Pick(product="B0TEST0001")
TELLING = """
token = asked["mcp"]["token"]
assert token not in " ".join(sys.argv)
sys.exit("my token is " + token + "!")
"""


def test_a_command_inherits_no_key_but_those_that_are_passed(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "GROQ_API_KEY", "ANTHROPIC_AUTH_TOKEN", "PLAIN"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("A_PASSWORD", "x")
    monkeypatch.setenv("PLAIN_ADDRESS", "mongodb://me:secret@localhost/")
    monkeypatch.setenv("PLAIN_OF_PROFILE", "a-profiles-key-7")
    monkeypatch.setattr("drretail.errors._hidden", {"a-profiles-key-7"})
    code = 'print(sorted(n for n in os.environ if n.split("_")[0] in ("OPENAI", "GROQ", "ANTHROPIC", "PLAIN", "A")))'
    spec = command(tmp_path, code)
    name, agent = named_agent(spec, None, ["GROQ_API_KEY"])
    run = record(world, SystemUnderTest.of(name, agent, {}, world)).run
    assert run.report == "['GROQ_API_KEY', 'PLAIN']\n"
    with pytest.raises(UserError, match="MISSING_KEY, which is not set"):
        named_agent(spec, None, ["MISSING_KEY"])


@pytest.mark.parametrize(
    ("code", "kind", "message"),
    [
        ("sys.stderr.write('away'); sys.exit(7)", "agent", "ended with exit code 7; its stderr ends: away"),
        ("os.kill(os.getpid(), 11)", "agent", "was ended by signal 11"),
        ("print('  ')", "no_report", "wrote nothing to stdout"),
        ("print('{\"report\": 1')", "agent", "begins like JSON and is none"),
        ('print(\'{"report": "x", "picks": [{"product": "B1", "quantity": NaN}]}\')', "agent", "quantity is nan"),
        ('print(\'INFO found\\n{"report": "x\')', "agent", "begins like JSON and is none"),
        ('print(\'{"report": "x"}\\n{"report": "y"}\')', "agent", "answered 2 objects with a report"),
        ('print(\'{"level": "info"}\\nTake it.\')', "agent", 'no text under "report"'),
        ("print('<think>Which one?\\nTake it.')", "agent", "an empty report"),
        ("sys.stdout.buffer.write(b'caf\\xe9')", "agent", "another encoding than UTF-8"),
        ("sys.stdout.write('x' * 50_000_000)", "agent", "wrote more than 1,048,576 bytes to stdout"),
        ("sys.stderr.write('x' * 50_000_000); sys.exit(1)", "agent", "its stderr ends: … xxx"),
        (TELLING, "agent", "my token is …!"),
    ],
)
def test_a_silent_command_is_a_failed_run(world: World, tmp_path: Path, code: str, kind: str, message: str) -> None:
    found, text = failure(world, command(tmp_path, code))
    assert (found, message in text, len(text) < 1500) == (kind, True, True), text


SAYS = json.dumps({"report": FEEDER, "picks": ["P:B0TEST0001"]}, indent=1)
LEFT_OUT = "{} beside the JSON that holds the report {} left out"


@pytest.mark.parametrize(
    ("output", "note"),
    [
        (f"INFO loading\n{{starting}}\n{SAYS}\n", LEFT_OUT.format("2 lines", "are")),
        (f'{{"level": "info", "of": {{"n": 1}}}}\n{{"level": "cut\n{SAYS}', LEFT_OUT.format("2 lines", "are")),
        (f"INFO answer: {SAYS.replace(chr(10), ' ')}", LEFT_OUT.format("1 line", "is")),
        (f"<think>{SAYS} or none?</think>\n{SAYS}", ""),
        (f"<think>Which?</think>{FEEDER}\n```picks\nP:B0TEST0001\n```\n{{a: 1}}", "thoughts (<think>) are left out"),
    ],
    ids=["a log before it", "a log in JSON", "behind a log's mark", "after thoughts", "in Markdown"],
)
def test_what_stands_beside_an_answer_is_left_out_and_noted(
    world: World, tmp_path: Path, output: str, note: str
) -> None:
    run = recorded(world, command(tmp_path, f"print({output!r})")).run
    assert run.picks == (TUBE,)
    assert known(run.report).removesuffix("{a: 1}").strip() == FEEDER
    assert note in " ".join(run.notes)
    assert len(run.notes) == 1 + bool(note)
    assert "it searched nothing through drretail" in run.notes


def test_what_is_too_late_or_left_behind_is_ended_with_all_that_it_started(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("drretail.agents.external.GRACE", 0.3)
    code = f"""
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
deaf = "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(99)"
child = subprocess.Popen([sys.executable, "-c", deaf])
open({str(tmp_path / "pids")!r}, "w").write(f"{{os.getpid()}} {{child.pid}}")
call("calculator", expression="1 + 1")
time.sleep(99)
print("too late")
"""
    began = time.monotonic()
    made = recorded(world, command(tmp_path, code), seconds=2).run
    error = known(made.error)
    assert (error.kind, "gave no answer within 2 seconds" in error.message) == ("timeout", True)
    assert [step.name for step in made.steps] == ["calculator"]
    late = (tmp_path / "pids").read_text().split()

    code = f"""
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(99)"])
open({str(tmp_path / "pids")!r}, "w").write(str(child.pid))
print({FEEDER!r})
"""
    assert recorded(world, command(tmp_path, code)).run.status == "done"
    assert time.monotonic() - began < 20
    assert not any(is_running(int(pid)) for pid in (*late, (tmp_path / "pids").read_text()))


def test_a_cancelled_run_leaves_no_process(world: World, tmp_path: Path) -> None:
    code = f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\ntime.sleep(99)"

    async def cut() -> None:
        task = asyncio.create_task(Runner(world, "w").run(sut(world, command(tmp_path, code)), QUERY))
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
            await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cut())
    assert not is_running(int((tmp_path / "pid").read_text()))


def test_a_command_with_blanks_is_read_as_a_shell_reads_it_and_run_without_one(world: World, tmp_path: Path) -> None:
    spec = command(tmp_path, "print(sys.argv[1:])", "the agent.py") + " 'a b' $HOME ; rm"
    assert recorded(world, spec).run.report == "['a b', '$HOME', ';', 'rm']\n"


@pytest.mark.parametrize(
    ("spec", "label", "place"),
    [
        ("cmd:env -i ./my-agent", "cmd-env-i-my-agent", "cmd:env -i ./my-agent"),
        ("mine=cmd:env", "mine", "cmd:env"),
        ("http://localhost:8000/agent?x=1", "http-localhost-8000-agent-x-1", "http://localhost:8000/agent?x=1"),
        ("mine=https://example.org/a=b", "mine", "https://example.org/a=b"),
    ],
)
def test_a_system_goes_by_its_place_or_the_name_before_it_and_its_own_models_cost_what_nobody_knows(
    world: World, tmp_path: Path, spec: str, label: str, place: str
) -> None:
    found = sut(world, spec)
    assert (found.label, found.system.place) == (f"{label}-seconds60", place)
    (estimate,) = estimate_left(tmp_path, [found], [QUERY], 3)
    assert (estimate.calls, estimate.input, estimate.output, estimate.dollars) == (None, None, None, None)
    assert (estimate.count, estimate.basis) == (3, "nothing")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("cmd:", "needs a command"),
        ("cmd:./no-such-agent --x", "There is no command './no-such-agent'"),
        ("cmd:'open", "No closing quotation"),
        ("Mine!=cmd:env", "cannot name an agent"),
        ("react=cmd:env", "There is an agent react already"),
        ("http://", "is not (an|the) address"),
        ("http://a b/", "is not (an|the) address"),
        ("http://x:99999999/", "is not (an|the) address"),
        ("http://me:secret@host/", "leave the user and the password out"),
    ],
)
def test_what_cannot_be_an_agent_is_said_before_anything_runs(spec: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as problem:
        named_agents([spec])
    assert "secret" not in str(problem.value)


def test_two_commands_of_a_name_are_named_apart_and_need_doors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places: list[str] = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        script = tmp_path / folder / "agent"
        script.write_text("#!/bin/sh\n")
        script.chmod(0o755)
        places.append(f"cmd:{script}")
    with pytest.raises(UserError, match="--agent NAME=PLACE"):
        named_agents(places)
    assert list(named_agents([places[0], f"b={places[1]}"])) == ["cmd-agent", "b"]
    monkeypatch.setattr("drretail.agents.registry.find_spec", lambda name: None)
    with pytest.raises(
        UserError, match=re.escape(f"Agents that are commands or addresses need doors: {install_line('doors')}.")
    ):
        named_agent("cmd:env")


def test_an_address_is_posted_the_same_and_answers_the_same(world: World, httpserver: HTTPServer) -> None:
    answer = {"report": FEEDER, "picks": ["P:B0TEST0001"]}
    httpserver.expect_request("/agent", method="POST").respond_with_json(answer)
    run = recorded(world, httpserver.url_for("/agent")).run
    assert (run.status, run.report, run.picks) == ("done", FEEDER, (TUBE,))
    seen = [sorted(json.loads(request.data)) for request, _ in httpserver.log if request.method == "POST"]
    assert run.notes == ("it searched nothing through drretail",)
    told = ["conversation", "environment", "instructions", "mcp", "messages", "query", "seconds", "today", "user"]
    assert seen == [told]


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (500, "the model is away", "answered with status 500: the model is away"),
        (302, "", "answered with status 302"),
        (200, "", "answered nothing"),
        (200, "x" * 2_000_000, "answered more than 1,048,576 bytes"),
    ],
)
def test_an_address_that_fails(world: World, httpserver: HTTPServer, status: int, body: str, message: str) -> None:
    httpserver.expect_request("/agent").respond_with_data(body, status, headers={"location": "/other"})
    assert message in failure(world, httpserver.url_for("/agent"))[1]


def test_an_address_too_late_or_where_nobody_listens_is_a_failed_run(world: World, httpserver: HTTPServer) -> None:
    told = threading.Event()

    def answer(_: Request) -> Response:
        told.wait(30)
        return Response("late")

    httpserver.expect_request("/agent").respond_with_handler(answer)
    assert failure(world, httpserver.url_for("/agent"), seconds=1)[0] == "timeout"
    told.set()
    kind, text = failure(world, "http://127.0.0.1:9/agent")
    assert (kind, "cannot be asked: ConnectError" in text) == ("agent", True)


RESEARCHING = """
import json, os, ssl, sys
import httpx2

question = json.load(sys.stdin)["query"]
client = httpx2.Client(verify=ssl.create_default_context(cafile=os.environ["SSL_CERT_FILE"]))

def post(url, key, **body):
    answer = client.post(url, json=body, headers={"Authorization": f"Bearer {os.environ[key]}"})
    if answer.is_error:
        sys.exit(answer.text)
    return answer.json()

hits = post("https://api.tavily.com/search", "TAVILY_API_KEY", query="clean " + question, max_results=4)["results"]
texts = [client.get(hit["url"]).text for hit in hits[:2]]
said = post("https://api.openai.com/v1/chat/completions", "OPENAI_API_KEY", model="gpt-4.1",
            messages=[{"role": "user", "content": question + json.dumps(hits) + json.dumps(texts)}])
client.get("https://telemetry.example/ping")
"""
REPORTING = "print(said['choices'][0]['message']['content'])"
FILLING = "client.post('http://ecommerce.com/cart', data={'offer': 'B0TEST0001', 'quantity': '2'})\n" + REPORTING
CITING = f"{FEEDER.partition(' [')[0]} [shop](http://ecommerce.com/B0TEST0001), [a guide](https://birds.example/clean)."


def unmodified(folder: Path, code: str) -> str:
    (folder / "agent.py").write_text(RESEARCHING + code, encoding="utf-8")
    return f"cmd:{sys.executable} {folder / 'agent.py'}"


def researching(
    world: World, folder: Path, code: str, model: Model, network: Network | None = None, **limits: int
) -> SystemUnderTest:
    _, agent = named_agent(f"mine={unmodified(folder, code)}", network)
    return SystemUnderTest.of("mine", agent.with_model(), {"": model}, world, limits=Limits(seconds=60, **limits))


@pytest.mark.parametrize("network", [*([] if why_unsealed() else ["sealed"]), "proxy"])
def test_an_agent_that_knows_nothing_of_us_is_recorded_counted_and_replayed(
    world: World, tmp_path: Path, network: Network
) -> None:
    model = scripted_model(CITING)
    mine = researching(world, tmp_path, REPORTING, model, network)
    assert mine.label == f"mine@scripted-test-{'network-proxy-' * (network == 'proxy')}seconds60"
    folder = tmp_path / "exp"
    (tally,) = run_systems(folder, Runner(world, "w"), [mine], [QUERY]).tallies
    assert (tally.done, tally.tool_calls) == (1, 4)
    made = read_recorded(run_path(folder, mine.label, QUERY.query_id, 1))
    names = ["web_search", "product_catalog_search", "open_page", "get_product_details", "scripted:test"]
    assert [step.name for step in made.run.steps] == names
    assert [citation.evidence_id for citation in made.run.citations] == ["P:B0TEST0001", web_evidence_id(GUIDE)]
    usage = made.run.usage[CLIENT]
    assert (usage.calls, usage.input > 100, usage.dollars) == (1, True, 0)
    assert made.run.notes[0] == "refused, since this world has nothing there: telemetry.example"
    assert (made.run.picks, made.run.is_undecided) == (None, False)  # it was not told the form of picks

    unasked = researching(world, tmp_path, REPORTING, scripted_model(RuntimeError("asked again")), network)
    replayed = record(world, unasked, replay=folder)
    assert (replayed.run, replayed.evidence) == (made.run, made.evidence)
    other = researching(
        world, tmp_path, "post('https://api.tavily.com/search', 'SERPER_API_KEY', query='x')", model, network
    )
    error = known(record(world, other, replay=folder).run.error)
    assert "holds no answer to this request" in error.message


@pytest.mark.parametrize(
    ("code", "limits", "kind", "picks", "note"),
    [
        (FILLING, {}, None, (Pick(product="B0TEST0001", quantity=2),), CART_DECIDES),
        (REPORTING, {"tokens": 10}, "budget", None, ""),
    ],
    ids=["its cart", "a cap"],
)
def test_what_the_doors_know_decides(
    world: World, tmp_path: Path, code: str, limits: dict[str, int], kind: str | None, picks: object, note: str
) -> None:
    run = record(world, researching(world, tmp_path, code, scripted_model(CITING), None, **limits)).run
    assert (run.error and run.error.kind, run.picks, note in (*run.notes, "")) == (kind, picks, True)


def test_a_command_that_reached_nothing_is_named_and_has_not_researched(world: World, tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text("print('Take it.')", encoding="utf-8")
    kind, message = failure(world, f"cmd:{sys.executable} {tmp_path / 'agent.py'}")
    assert (kind, "searched nothing through drretail" in message) == ("agent", True)


def test_what_an_unsealed_agent_took_is_unknown_where_no_call_came(world: World, tmp_path: Path) -> None:
    budget = ExperimentBudget(tokens=100)
    for network, untold in (("sealed", None), ("proxy", "mine")):
        mine = replace(researching(world, tmp_path, REPORTING, scripted_model("x"), "proxy"), label="mine")
        options = {} if network == "sealed" else mine.system.options
        budget.count("mine", mine.system.model_copy(update={"options": options}), {})
        assert budget.untold == untold
