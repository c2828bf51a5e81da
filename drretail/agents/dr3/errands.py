"""What the main agent has others do: a question to the web, a question to a file; each a branch of the run.

search_sandbox and read_file are tools that the agent brings: they check what is asked, and ``Errands`` has it done.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Annotated, Self

from annotated_types import MaxLen, MinLen

from drretail.agents.dr3.file_reading import read_file_on
from drretail.agents.dr3.retrieving import retrieve
from drretail.agents.user_files import UserFile, files_in
from drretail.env.session import Session
from drretail.errors import CommandStopped, ModelError, ToolError, describe_error
from drretail.event_loop import all_ended
from drretail.llm.models import Models
from drretail.records.run import Limits
from drretail.tools.registry import CHUNKED, SUMMARISED, look_ups
from drretail.tools.tool import Tool, ToolResult
from drretail.tools.toolkit import Performed, Toolkit
from drretail.tools.web import WEB_SEARCH

Outcome = ToolResult | ToolError


def search_sandbox(session: Session, question: Annotated[str, MinLen(1), MaxLen(2000)]) -> ToolResult:
    """Sends a retrieval agent to the web with one question; it searches, words its queries anew, and answers.

    It sees nothing but what you write here. Several sent in one turn work at the same time.

    Args:
        question: The question, complete in itself, with what it is for and every limit that matters to it.

    Returns:
        Its answer with evidence ids, and the pages it rests on, each with evidence, title, url and what was read of it.
        Or an error, when it came back with nothing.
    """
    del session
    return ToolResult({"question": _checked_question(question)}, ())


def read_file(
    session: Session, file: Annotated[str, MinLen(1), MaxLen(300)], question: Annotated[str, MinLen(1), MaxLen(2000)]
) -> ToolResult:
    """Has one of the user's own files read for one precise question, however long the file is.

    The reader sees the file and your question and nothing else. Several read in one turn are read at the same time.

    Args:
        file: The name of the file, as it is listed.
        question: What to find out from it, e.g. "Which filters were bought in 2022, on which dates, at what price?"

    Returns:
        The evidence id of the file, what its parts say on the question, and quotes that stand in it word for word.
        "unverifiable", with the reason, for a file that could not be read.
    """
    names = [user_file.name for user_file in files_in(session.files)]
    if file not in names:
        raise ToolError("invalid_argument", f"There is no file {file!r}.", field="file", allowed=names)
    return ToolResult({"file": file, "question": _checked_question(question)}, ())


def _checked_question(question: str) -> str:
    if not question.strip():
        raise ToolError("invalid_argument", "question is blank: write what to find out.", field="question")
    return question.strip()


SEARCH_SANDBOX = Tool("search_sandbox", search_sandbox, "read")
READ_FILE = Tool("read_file", read_file, "read")


def main_tools(session: Session) -> Mapping[str, Tool]:
    """The nine that the session has, and the errands for which there is a web, or a file."""
    lacking = set[str]()
    if WEB_SEARCH in session.without:
        lacking.add(SEARCH_SANDBOX.name)
    if not files_in(session.files):
        lacking.add(READ_FILE.name)
    return {name: tool for name, tool in look_ups(session).items() if name not in lacking}


@dataclass(slots=True)
class Errands:
    """Has done what the calls of a turn ask of sub-agents, all side by side; a context manager, as a toolkit is.

    Each has a number in the order of the whole run's launches, and its steps stand at the path ``0.<number>``.
    """

    session: Session
    models: Models
    limits: Limits
    failed: list[str] = field(default_factory=list[str])
    """One line for each that brought nothing: "0.2: timeout: …"."""
    notes: list[str] = field(default_factory=list[str])
    _toolkit: Toolkit = field(init=False)
    _launched: int = 0

    def __post_init__(self) -> None:
        search = CHUNKED if self.session.web_mode == "snippets" else SUMMARISED
        tools = {} if WEB_SEARCH in self.session.without else {WEB_SEARCH: search}
        self._toolkit = Toolkit(self.session, tools=tools)

    def __enter__(self) -> Self:
        self._toolkit.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._toolkit.__exit__(kind, problem, trace)

    async def carry_out(self, performed: Sequence[Performed]) -> list[Performed]:
        """The performed calls of a turn, the errands among them with what came of them.

        Each has an equal share of the tokens that are left. One that fails never takes the others down.
        """
        asked = [at for at, each in enumerate(performed) if _is_errand(each)]
        most = self.models.most_branches(self.limits.researchers)
        launched, refused = asked[:most], asked[most:]
        outcomes: dict[int, Outcome] = dict.fromkeys(refused, self._refusal(most))
        if launched:
            # All errands of earlier turns have ended: what they were handed may be known to these.
            self.session.ledger.seal()
            ended = await all_ended(
                self._branch(self._launched + number, performed[at], share)
                for number, (at, share) in enumerate(
                    zip(launched, self.models.branches(len(launched)), strict=True), start=1
                )
            )
            self._launched += len(launched)
            outcomes |= {at: self._kept(each) for at, each in zip(launched, ended, strict=True)}
        return [replace(each, outcome=outcomes.get(at, each.outcome)) for at, each in enumerate(performed)]

    async def _branch(self, number: int, performed: Performed, models: Models) -> "_Ended":
        path = f"0.{number}"
        assert isinstance(performed.outcome, ToolResult)
        asked: Mapping[str, str] = performed.outcome.value
        try:
            if performed.launch.name == READ_FILE.name:
                result, notes = await read_file_on(self._file(asked["file"]), asked["question"], path, models)
            else:
                result, notes = await retrieve(asked["question"], path, self._toolkit, models, self.limits.rag_turns)
        except ModelError as problem:
            return _Ended(path, problem)
        except CommandStopped:
            raise
        # The boundary of a sub-agent: a bug in one must not end the others; the run records it.
        except Exception as problem:  # noqa: BLE001
            return _Ended(path, ModelError("agent", describe_error(problem)))
        return _Ended(path, result, notes)

    def _file(self, name: str) -> UserFile:
        return next(file for file in files_in(self.session.files) if file.name == name)

    def _kept(self, ended: "_Ended") -> Outcome:
        """What the main agent reads of a branch; notes and failures are kept in the order of the launches."""
        self.notes += ended.notes
        if isinstance(ended.outcome, ToolResult):
            return ended.outcome
        problem = ended.outcome
        self.failed.append(f"{ended.path}: {problem.kind}: {problem.message}")
        kind = "timeout" if problem.kind == "timeout" else "unavailable"
        return ToolError(kind, f"It came back with nothing: {problem.kind}: {problem.message}")

    def _refusal(self, most: int) -> ToolError:
        if most == self.limits.researchers:
            return ToolError("limit", f"At most {most} of these may be sent in one turn: this one was not.")
        return ToolError("limit", "The tokens that are left do not suffice for it: this one was not sent.")


@dataclass(frozen=True, slots=True)
class _Ended:
    """What became of one errand."""

    path: str
    outcome: ToolResult | ModelError
    notes: tuple[str, ...] = ()


def _is_errand(performed: Performed) -> bool:
    named = performed.launch.name in (SEARCH_SANDBOX.name, READ_FILE.name)
    return named and isinstance(performed.outcome, ToolResult)
