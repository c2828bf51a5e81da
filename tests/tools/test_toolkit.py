"""Calls of tools: recorded, ordered, timed. Also tests workers.py."""

import asyncio
import re
import threading
import time
from collections.abc import Callable
from typing import Annotated

from annotated_types import Ge

from drretail.env.session import Session
from drretail.errors import UserError
from drretail.records.evidence import Source
from drretail.reports.text.serialisation import compact_json
from drretail.tools.registry import TOOLS
from drretail.tools.tool import Access, Tool, ToolResult
from drretail.tools.toolkit import Toolkit
from drretail.tools.workers import Workers
from tests.threads import all_at_rest
from tests.tools.conftest import error_of


def evidence(name: str, key: str) -> Source:
    return Source(id=f"C:{name}", kind="calculation", key=key, title=key, form="record", text=key)


def made_up(name: str, action: Callable[[int], object], access: Access = "read") -> dict[str, Tool]:
    """A toolkit's table of one tool that does ``action`` with its number."""

    def function(session: Session, number: Annotated[int, Ge(0)] = 0) -> ToolResult:
        """Does what the test says.

        Args:
            number: Any number.

        Returns:
            The number.
        """
        return ToolResult({"number": number, "did": action(number)}, (evidence(f"{number}", str(number)),))

    return {name: Tool(name, function, access)}


def test_a_call_is_recorded_with_its_evidence_and_text_and_so_is_an_error(toolkit: Toolkit, session: Session) -> None:
    reply = toolkit.call("calculator", {"expression": "2 * 3"}, "0.2", role="supervisor")
    (step,) = session.trajectory.steps()
    assert (step.path, step.seq, step.kind, step.role, step.name) == ("0.2", 0, "tool", "supervisor", "calculator")
    assert (step.args, step.evidence, step.error) == ({"expression": "2 * 3"}, reply.evidence, None)
    assert session.trajectory.texts() == {step.result_sha: reply.text}
    assert reply.text == compact_json(reply.value)

    divided = toolkit.call("calculator", {"expression": "1/0"}, "0.2")
    assert divided.error == error_of(divided)["type"] == "invalid_argument"
    unknown = error_of(toolkit.call("get_users_order", {}, "0.2"))
    assert (unknown["type"], unknown["allowed"]) == ("unknown_tool", list(TOOLS))
    assert "get_user_orders" in unknown["message"]
    beside = Toolkit(Session(session.settings), others=["Finalize"])
    assert error_of(beside.call("Finalise", {}))["allowed"] == [*TOOLS, "Finalize"]
    _, failed, nameless = session.trajectory.steps()
    assert failed.error == "invalid_argument: Division by zero has no value."
    assert nameless.name == "get_users_order"


def test_calls_of_one_turn_have_its_first_call_and_calls_that_no_turn_names_stand_alone(toolkit: Toolkit) -> None:
    add = ("calculator", {"expression": "1+1"})
    for turn in (None, None, "a", "a", "a", "b", None, None):
        toolkit.call(*add, turn=turn)
    toolkit.call(*add, "0.1", turn="b")
    toolkit.call_all([add, add], turn="c")
    toolkit.call(*add, turn="c")
    steps = {(step.path, step.seq): step.turn for step in toolkit.session.trajectory.steps()}
    assert [steps["0", at] for at in range(11)] == [*[None] * 3, 2, 2, *[None] * 5, 8]
    assert steps["0.1", 0] is None, "each path has turns of its own"


def test_a_bug_of_ours_is_hidden_from_the_model_and_kept_in_the_step(session: Session) -> None:
    def fail(number: int) -> object:
        raise KeyError("secret detail")

    def damage(number: int) -> object:
        raise UserError("secret path")

    session.ledger.add([evidence("7", "something else")], "0", 99)
    toolkit = Toolkit(session, tools=made_up("broken", fail) | made_up("clash", lambda number: None))
    error = error_of(toolkit.call("broken", {}))
    assert toolkit.call("clash", {"number": 7}).error == "unavailable", "one id for two sources"
    toolkit = Toolkit(session, tools=made_up("damaged", damage))
    assert error_of(toolkit.call("damaged", {}))["message"] == (
        "The shop's data cannot be read; `drretail world check` tells its owner more."
    )
    assert error == {"type": "unavailable", "message": "broken failed for an internal reason; another call may do."}
    kept, clash, _ = (step.error or "" for step in session.trajectory.steps())
    assert re.fullmatch(r"KeyError: 'secret detail' \(.*test_toolkit\.py, line [0-9]+\)", kept)
    assert "EvidenceCollision" in clash


def test_replies_ledger_and_steps_are_in_call_order_whatever_ends_first(session: Session) -> None:
    second_ended = threading.Event()

    def wait_for_the_second(number: int) -> object:
        if number == 1:
            return second_ended.wait(5)
        return second_ended.set()

    toolkit = Toolkit(session, threads=2, tools=made_up("slow", wait_for_the_second))
    replies = toolkit.call_all([("slow", {"number": 1}), ("slow", {"number": 2}), ("none", {})], "0.1")
    assert [reply.value.get("number") for reply in replies] == [1, 2, None]
    assert [reply.seq for reply in replies] == [0, 1, 2]
    assert [entry.id for entry in session.ledger.evidence()] == ["C:1", "C:2"]
    assert [step.name for step in session.trajectory.steps()] == ["slow", "slow", "none"]


def test_a_write_waits_for_the_reads_before_it_and_holds_up_those_after(session: Session) -> None:
    done: list[int] = []
    second_is_done = threading.Event()

    def act(number: int) -> object:
        if number == 1:
            assert second_is_done.wait(60), "the first read does not keep the second from ending"
            time.sleep(0.05)  # long enough for a write that waits for nobody
        done.append(number)
        return second_is_done.set() if number == 2 else None

    tools = made_up("read", act) | made_up("write", act, "write")
    toolkit = Toolkit(session, tools=tools)
    names = ["read", "read", "write", "write", "read"]
    toolkit.call_all([(name, {"number": number}) for number, name in enumerate(names, 1)])
    assert done == [2, 1, 3, 4, 5], "the two reads side by side, everything else in order"


def test_a_hung_tool_times_out_uses_up_no_thread_and_is_not_waited_for_at_the_end(session: Session) -> None:
    release = threading.Event()

    def hang(number: int) -> object:
        return release.wait() if number else "quick"

    toolkit = Toolkit(session, timeout=0.05, threads=2, tools=made_up("hung", hang))
    replies = toolkit.call_all([("hung", {"number": n}) for n in (1, 2, 3, 0)])
    assert [reply.error for reply in replies] == ["timeout", "timeout", "timeout", None]
    assert replies[3].value["did"] == "quick"
    assert error_of(replies[0])["message"] == "hung gave no answer within 0.05 seconds."
    assert not release.is_set()  # they are still at work
    release.set()
    assert all_at_rest()
    assert [entry.id for entry in session.ledger.evidence()] == ["C:0"], "a late result is discarded"


def test_a_job_has_its_time_from_its_own_beginning_and_not_from_the_waiter_s() -> None:
    release = threading.Event()
    workers = Workers(1)
    job = workers.submit(release.wait)
    time.sleep(1.6)
    began = time.monotonic()
    result = asyncio.run(workers.await_(job, 2.0))
    waited = time.monotonic() - began
    following = workers.submit(lambda: "in its place")
    following.ended.result(timeout=60)
    assert following.result == "in its place"
    release.set()
    assert isinstance(result, TimeoutError)
    assert waited < 1.6


def test_a_pool_runs_no_more_jobs_at_once_than_its_size_however_many_places_there_are() -> None:
    release, running = threading.Event(), threading.Semaphore(0)
    workers = Workers(2, threading.Semaphore(9))

    def work() -> None:
        running.release()
        release.wait(60)

    jobs = [workers.submit(work) for _ in range(4)]
    assert running.acquire(timeout=60)
    assert running.acquire(timeout=60)
    assert not running.acquire(timeout=0.1), "two of four have begun"
    release.set()
    for job in jobs:
        job.ended.result(timeout=60)
