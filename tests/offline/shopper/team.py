"""A team of hybrid played by hand: supervisor, researchers, syntheses, report generator, with bare messages."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolCall, ToolMessage

from drretail.env.session import Session
from drretail.env.world import World
from drretail.offline.shopper.policy import shop
from drretail.prompts import tagged
from drretail.records.base import canonical_json
from drretail.records.evidence import IntermediateReport
from drretail.tools.toolkit import Toolkit


def move(name: str, *arguments: str) -> dict[str, Any]:
    properties = {argument: {"type": "string"} for argument in arguments}
    parameters = {"type": "object", "properties": properties, "required": list(arguments)}
    return {"type": "function", "function": {"name": name, "description": name, "parameters": parameters}}


REASON, LAUNCH, FINALIZE = move("Reason", "thought"), move("LaunchResearcher", "sub_problem"), move("Finalize")
SUPERVISOR = [REASON, LAUNCH, FINALIZE]


def numbered(answer: AIMessage, prefix: str) -> list[ToolCall]:
    """The calls of an answer with ids."""
    return [
        ToolCall(name=call["name"], args=call["args"], id=f"{prefix}.{place}")
        for place, call in enumerate(answer.tool_calls)
    ]


def schema(name: str) -> list[dict[str, Any]]:
    """A schema bound as the one tool that must be called."""
    return [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}]


@dataclass
class Team:
    """One conversation with each role; ``words`` stand where a prompt's instructions would."""

    world: World
    user_id: str | None = None
    words: str = "You shop."
    called: list[tuple[str, dict[str, Any]]] = field(default_factory=list[tuple[str, dict[str, Any]]])

    def __post_init__(self) -> None:
        self.session = Session(self.world, user_id=self.user_id)

    @property
    def evidence(self) -> frozenset[str]:
        return frozenset(entry.id for entry in self.session.ledger.evidence())

    def opening(self, tag: str, text: str, *more: str) -> list[BaseMessage]:
        user = [tagged("user_id", self.user_id)] if self.user_id else []
        today = tagged("today", self.session.now.date().isoformat())
        asked = "\n".join([self.words, tagged(tag, text), *user, today, *more])
        return [SystemMessage(self.words), HumanMessage(asked)]

    def supervise(self, query: str, results: Sequence[Sequence[dict[str, Any]]] = ()) -> AIMessage:
        """The supervisor's turn behind those whose launches brought ``results``."""
        messages = self.opening("query", query)
        for turn, brought in enumerate(results):
            answer = shop(messages, SUPERVISOR)
            calls = numbered(answer, str(turn))
            messages.append(AIMessage("", tool_calls=calls))
            values = iter(brought)
            for call in calls:
                value = next(values) if call["name"] == "LaunchResearcher" else {"ok": True}
                messages.append(ToolMessage(canonical_json(value), tool_call_id=call["id"]))
        return shop(messages, SUPERVISOR)

    def research(self, sub_problem: str, *more: str, without: Sequence[str] = ()) -> list[dict[str, Any]]:
        """The findings of one researcher, as a synthesis is given them."""
        messages = self.opening("sub_problem", sub_problem, *more)
        findings: list[dict[str, Any]] = [{"sub_problem": sub_problem}]
        with Toolkit(self.session) as toolkit:
            nine = [tool for tool in toolkit.openai_schemas() if tool["function"]["name"] not in without]
            for turn in range(12):
                answer = shop(messages, [*nine, REASON, FINALIZE])
                if not answer.tool_calls:
                    return [*findings, {"text": answer.text}]
                calls = numbered(answer, str(turn))
                messages.append(AIMessage("", tool_calls=calls))
                for call in calls:
                    if call["name"] == "Reason":
                        findings.append({"thought": call["args"]["thought"]})
                    if call["name"] in ("Reason", "Finalize"):
                        messages.append(ToolMessage('{"noted":true}', tool_call_id=call["id"]))
                        continue
                    reply = toolkit.call(call["name"], call["args"])
                    self.called.append((call["name"], call["args"]))
                    entry = {"tool": call["name"], "args": call["args"], "result": json.loads(reply.text)}
                    findings.append(entry)
                    messages.append(ToolMessage(reply.text, tool_call_id=call["id"]))
                if any(call["name"] == "Finalize" for call in calls):
                    return findings
        raise AssertionError("the researcher did not end")

    def synthesise(self, findings: Sequence[dict[str, Any]]) -> IntermediateReport:
        text = "\n".join(canonical_json(entry) for entry in findings)
        asked = [SystemMessage(self.words), HumanMessage(f"{self.words}\n{tagged('findings', text)}")]
        answer = shop(asked, schema("IntermediateReport"), "any")
        return IntermediateReport.model_validate_json(json.dumps(answer.tool_calls[0]["args"]), strict=True)

    def write(self, query: str, reports: Sequence[IntermediateReport], *more: str) -> str:
        listed = [
            {"researcher": number, "report": report.model_dump(mode="json", exclude_none=True)}
            for number, report in enumerate(reports, 1)
        ]
        given = [self.words, tagged("query", query), tagged("reports", canonical_json(listed)), *more]
        return shop([SystemMessage(self.words), HumanMessage("\n".join(given))], []).text

    def play(self, query: str) -> str:
        """One round of researchers, and the report on what they brought."""
        reports = [self.synthesise(self.research(part)) for part in launches(self.supervise(query))]
        return self.write(query, reports)


def launches(turn: AIMessage) -> list[str]:
    return [call["args"]["sub_problem"] for call in turn.tool_calls if call["name"] == "LaunchResearcher"]


def brought(report: IntermediateReport, number: int = 1) -> dict[str, Any]:
    """A launch's result."""
    return {"researcher": number, "report": report.model_dump(mode="json", exclude_none=True)}
