"""One rollout: a session of its own in the shared world, its calls one by one, and its record."""

from collections.abc import Mapping
from typing import Any, cast

from drretail.agents.information import client_hashes, question_instructions
from drretail.agents.picks import answer_of
from drretail.agents.running.runner import Recorded, recorded_spec, run_of
from drretail.env.session import Session
from drretail.errors import ToolError
from drretail.grounding.text.serialisation import compact_json
from drretail.parsing import parse_json
from drretail.records.query import Query
from drretail.records.run import Answer, RunError, System
from drretail.tools.registry import ROLE, SUBMIT, read_submitted
from drretail.tools.toolkit import Toolkit, ToolReply

PATH = "0"
NO_CALL = 'A call is {"name": the tool\'s name, "arguments": {…}}.'
UNHANDED = RunError(kind="no_report", where="gym", message="the rollout ended without a report")


class Rollout:
    """One rollout in its session. The policy reads what was wrong with a call; nothing is raised."""

    def __init__(self, session: Session, query: Query) -> None:
        self.query = query
        self._session = session
        self._toolkit = Toolkit(session, others=(SUBMIT,))
        self._answer: Answer | None = None
        self._turn = 0

    @property
    def instructions(self) -> str:
        """What a policy reads first: the question, and the form of the report."""
        return question_instructions(self._session, self.query.text)

    @property
    def is_handed_in(self) -> bool:
        return self._answer is not None

    def call(self, request: object, *, same_turn: bool = False) -> ToolReply:
        """The reply to one call, ``{"name": …, "arguments": {…}}``; the arguments may be JSON text."""
        self._turn += not same_turn
        try:
            name, args = _read_call(request)
            if name == SUBMIT:
                report, _ = read_submitted(args)
                self._answer = answer_of(report)
                value = {"status": "done"} | ({"notes": list(self._answer.notes)} if self._answer.notes else {})
                return ToolReply(compact_json(value), value, (), None, 0)
        except ToolError as problem:
            value = problem.as_result()
            return ToolReply(compact_json(value), value, (), problem.kind, 0)
        return self._toolkit.call(name, args, PATH, role=ROLE, turn=self._turn)

    def recorded(self, system: System) -> Recorded:
        """The rollout so far, as a run of ``system``."""
        session, hashes = self._session, client_hashes(system)
        ended = UNHANDED if self._answer is None else self._answer
        run = run_of(system.label(), self.query, 1, session, ended, usage={}, prompt_hashes=hashes)
        place = recorded_spec(str(session.settings.world.servers or session.settings.world.folder))
        return Recorded(run, session.ledger.evidence(), session.trajectory.texts(), {"world": place})

    def close(self) -> None:
        self._toolkit.close()


def _read_call(request: object) -> tuple[str, object]:
    """The tool's name and its arguments. Raises ToolError for anything that is not a call."""
    call = cast(Mapping[str, Any], request) if isinstance(request, Mapping) else {}
    name, args = call.get("name"), call.get("arguments", {})
    if not isinstance(name, str):
        raise ToolError("invalid_argument", NO_CALL, field="name")
    if isinstance(args, str):
        try:
            args = parse_json(args)
        except ValueError:
            raise ToolError("invalid_argument", "The arguments must be a JSON object.", field="arguments") from None
    return name, {} if args is None else args
