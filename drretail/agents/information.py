"""What agents are told beside their own prompts.

All writers of reports are told the same about the report's form, one file for each part. What a system is told of the
shopper in place of tools: nothing, notes of dealings with the shop, or a persona.

These are the settings of PDR-Bench (section 5.3: Task Only, w/Context, w/Persona). drretail's own setting is "tools".
Systems with models of their own, over MCP or as external agents, are also told the shop's date. A turn of a
conversation goes on with what was said before, and with the session of the turns before it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import takewhile
from pathlib import Path

from drretail.conditions.shopper import known_of
from drretail.env.session import Session
from drretail.experiment import ended_run, run_path
from drretail.grounding.conversation import ConversationTurn, LookUp, ReferenceOf, turns_of
from drretail.grounding.report.citations import what_a_mark_covers
from drretail.grounding.report.picks import picks_block
from drretail.llm.prompt import Prompt, load_prompt, tagged
from drretail.records.evidence import Evidence
from drretail.records.query import Query, Reference, Task
from drretail.records.run import Information, Run
from drretail.run_file import read_evidence

BLOCKS = ("report_form", "length", "facts", "citing", "picks", "data")
"""Form and length of a report; what may be stated; marks; the cart; and that texts give no orders."""
_HERE = str(Path(__file__))


def agent_prompt(path: str, name: str) -> Prompt:
    """The prompt ``prompts/<name>.md`` beside the module ``beside``, with the shared parts in their ``{{places}}``."""
    prompt = load_prompt(path, name)
    text = prompt.text
    for block in BLOCKS:
        place = f"{{{{{block}}}}}"
        if place in text:
            text = text.replace(place, load_prompt(_HERE, block).text.rstrip())
    return Prompt(prompt.name, text.replace("{{marks}}", what_a_mark_covers()))


question_prompt = partial(agent_prompt, __file__, "mcp_question")


def own_agent_prompts() -> tuple[Prompt, Prompt]:
    """The prompts of every agent with models of its own: of a question, and of a later turn."""
    return agent_prompt(__file__, "own_question"), follow_up_prompt()


follow_up_prompt = partial(load_prompt, _HERE, "follow_up")


def following(task: Task) -> str | None:
    """What every agent is told of a turn that follows others; None if the task is none."""
    return follow_up_prompt().render().rstrip() if task.history else None


@dataclass(frozen=True, slots=True)
class TurnsBefore:
    """The turns of a conversation before a run, with their runs."""

    queries: tuple[Query, ...] = ()
    runs: tuple[Run, ...] = ()
    """Those of the first turns that are done, up to the one that is not."""
    evidence: tuple[Evidence, ...] = ()
    """All that they were shown."""

    @property
    def history(self) -> tuple[dict[str, str], ...]:
        """What was said in them, and the reports with the carts that they declared."""
        messages: list[dict[str, str]] = []
        for query, run in zip(self.queries, self.runs, strict=False):
            cart = "" if run.picks is None else picks_block(run.picks, run.outcome)
            answer = "\n\n".join(filter(None, (run.report, cart)))
            messages += [{"role": "user", "content": query.text}, {"role": "assistant", "content": answer}]
        return tuple(messages)

    def carry_into(self, session: Session) -> None:
        """Goes on with what the turns before were shown and changed."""
        session.ledger.carry(self.evidence)
        for change in (change for run in self.runs for change in run.state_diff):
            profile, (part, _, name) = session.user(change.user_id), change.field.rpartition(".")
            value = getattr(profile, part).model_copy(update={name: change.after}) if part else change.after
            # What this turn changes is told from what it found.
            session.before[change.user_id] = profile.model_copy(update={part or name: value})
            session.overlay[change.user_id] = session.before[change.user_id]

    def asked(self, query: Query, reference_of: ReferenceOf, look_up: LookUp) -> ConversationTurn:
        """The turn that a query with a wish is after these."""
        return turns_of((*self.queries, query), self.runs, reference_of, look_up)[-1]

    def for_oracle(
        self, query: Query, reference_of: ReferenceOf, look_up: LookUp, told_of: str
    ) -> tuple[Query, Reference]:
        """A turn with what the shop has for it, as it follows the oracle's own carts; see ``Agent.told_of``."""
        if told_of == "first":
            query = (*self.queries, query)[0]
        elif query.wish is not None and self.runs:
            turn = self.asked(query, reference_of, look_up)
            if told_of == "all":
                return query, turn.followed
            query = query.model_copy(update={"wish": turn.limits(of_before=False), "relations": {}})
        return query, reference_of(query)


NO_TURNS = TurnsBefore()


def read_before(experiment: Path, label: str, queries: Sequence[Query], repeat: int) -> TurnsBefore:
    """The turns with their runs in an experiment, as far as these are done."""
    ended = (ended_run(experiment, label, query.query_id, repeat) for query in queries)
    done = (run if run is not None and run.status == "done" else None for run in ended)
    runs = tuple(filter(None, takewhile(bool, done)))
    last = run_path(experiment, label, queries[-1].query_id, repeat)
    return TurnsBefore(tuple(queries), runs, read_evidence(last) if len(runs) == len(queries) else ())


def context_prompt(information: Information) -> Prompt | None:
    """The instruction before the information; None in the setting "tools", which gives none."""
    return None if information == "tools" else load_prompt(__file__, f"told_{information}")


def shopper_context(information: Information, query: Query) -> str:
    """The text that follows the question; empty in the setting "tools".

    Raises UserError if the query holds no information of this kind.
    """
    prompt = context_prompt(information)
    if prompt is None:
        return ""
    instruction = prompt.render().rstrip()
    if information not in ("context", "persona"):
        return instruction
    return f"{instruction}\n{tagged(information, known_of(information, query))}"


def instructions(session: Session) -> str:
    """For a client that asks freely: the user for whom it acts, and the shop's date."""
    return agent_prompt(__file__, "mcp").render(given=_known(session.settings.user_id, session.settings.now))


def recorded_instructions(question: str, user_id: str | None, now: datetime) -> str:
    """For a client whose run is recorded: the question, and the form of its report."""
    return question_prompt().render(given=f"{tagged('query', question)}\n{_known(user_id, now)}")


def own_agent_instructions(session: Session, task: Task) -> str:
    """For an agent with models of its own: the question, and the form of its report, which is its last message."""
    about = _known(session.settings.user_id, session.settings.now)
    text = "\n".join(filter(None, (tagged("query", task.text), about, task.context, following(task))))
    return own_agent_prompts()[0].render(given=text)


def _known(user_id: str | None, now: datetime) -> str:
    user = "" if user_id is None else f"{tagged('user_id', user_id)}\n"
    return f"{user}{tagged('today', now.date().isoformat())}"
