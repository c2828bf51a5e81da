"""Scripted models for the roles of dr3, told apart by what they are asked, and a run of theirs."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage

from drretail.agents.running.runner import Recorded
from drretail.env.world import World
from drretail.llm.registry import Model
from drretail.llm.scripted import Request, scripted_model
from drretail.prompts import tag_content
from tests.agents.conftest import Scripted, calls, record, reporting, sut

FEEDER = ("product_catalog_search", {"query": "bird feeder", "price_max": 30})
SAID = "Take the tube feeder for $24.99 [P:B0TEST0001]."
REPORT = reporting(SAID, "P:B0TEST0001 x 1")
ORDERS = "date,product,price\n2022-05-01,tube feeder,24.99\n2022-06-02,rain gauge,12.00\n"


def sent(*questions: str) -> AIMessage:
    """A turn of the main agent that sends retrieval agents."""
    return calls(*(("search_sandbox", {"question": question}) for question in questions))


def asked_of(file: str, *questions: str) -> AIMessage:
    """A turn of the main agent that has a file read."""
    return calls(*(("read_file", {"file": file, "question": question}) for question in questions))


def found(answer: str, *quotes: str) -> AIMessage:
    """What the reader says of a file."""
    return AIMessage(json.dumps({"found": True, "answer": answer, "quotes": list(quotes)}))


NOTHING = AIMessage(json.dumps({"found": False, "answer": "", "quotes": []}))


@dataclass(slots=True)
class Cast:
    """Plays the main agent by turn, and the others by turn within a question ("" for any other)."""

    main: Sequence[Scripted]
    retriever: Mapping[str, Sequence[Scripted]] = field(default_factory=dict[str, Sequence[Scripted]])
    reader: Sequence[Scripted] = ()
    sees: bool = False
    shown: dict[str, list[Request]] = field(default_factory=dict[str, list[Request]])

    def models(self) -> dict[str, Model]:
        left = list(self.reader)

        def retriever(request: Request) -> Scripted:
            question = tag_content("question", request.messages[1].text) or ""
            return self.retriever.get(question, self.retriever.get("", ()))[request.turn - 1]

        plays: dict[str, Any] = {
            "researcher": lambda request: self.main[request.turn - 1],
            "retriever": retriever,
            "reader": lambda request: left.pop(0),
        }
        return {role: self._model(role, play) for role, play in plays.items()}

    def _model(self, role: str, play: Any) -> Model:
        self.shown[role] = []

        def noted(request: Request) -> Scripted:
            self.shown[role].append(request)
            return play(request)

        model = scripted_model(play=noted, name=role)
        if role == "reader" and self.sees:
            profile = {**(model.chat.profile or {}), "image_inputs": True}
            model = replace(model, chat=model.chat.model_copy(update={"profile": profile}))
        return model

    def told(self, role: str = "researcher") -> list[dict[str, Any]]:
        """What the tools of a role's last conversation answered."""
        return [json.loads(message.text) for message in self.shown[role][-1].messages if message.type == "tool"]


def perform(world: World, cast: Cast, files: Path | None = None, **given: Any) -> Recorded:
    """One run of dr3 by this cast."""
    return record(world, sut(world, cast.models(), "dr3", **given), files=files)
