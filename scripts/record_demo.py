r"""Writes drretail/api/recordings anew, out of experiments that a language model ran and judged, or for changed data.

    python scripts/record_demo.py [--keep] EXPERIMENT…
    python scripts/record_demo.py --again CHECKOUT [--judged ANSWERS]

An experiment is made with a language model M. The recorded one was played: language models answered its requests
outside the program. Two false claims and a broken limit were put in on purpose.

    drretail demo --to d -q
    drretail run --queries drretail/api/recordings/demo_queries.jsonl --world d/world --agent react \
        --agent hybrid_react --vary researchers=2 --no-floors --model M --to exp
    drretail score exp --judge M --metrics \
        faithfulness,false_statements,quality,checks,process,basket,outcome,pairwise

With --keep the questions and answers that are recorded already stay, before the new ones.

--again takes a checkout of a version whose data the recording is for. Each request of today gets the answer that is
recorded for the most similar request there, and is recorded with it. Requests and answers that find no counterpart are
printed; answers may be edited by hand before.

It asks no model, so it carries no answer over to a changed prompt. Such requests are written to to_judge.json. A judge
answers them, from these texts alone, in a file of answers in the schema by the requests' digests, for --judged.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage

from drretail.api import demo_recording
from drretail.api.demo_recording import QUERIES, SCRIPT, play_answers, play_judge, recorded_model, recorded_queries
from drretail.api.worlds import open_world
from drretail.errors import ModelError
from drretail.eval.judging.question import judge_journals, read_journal_of
from drretail.experiments.experiment import read_definition, run_files
from drretail.experiments.journal import Effect
from drretail.experiments.run_file import RUN_FILE, read_journal
from drretail.files import read_lines, write_lines
from drretail.llm import scripted
from drretail.llm.registry import Model
from drretail.llm.scripted import (
    Request,
    ScriptedAnswer,
    ScriptedCall,
    digest_of,
    prompt_of,
    requests_of,
    scripted_model,
)
from drretail.parsing import json_or_none
from drretail.progress import Progress
from drretail.records.query import Query

Rule = dict[str, Any]
SUPPORT = "ClaimsSupport"
_PLACE = ("schema", "tools", "turn")
_GIVEN = ("answer", "prompt")
TO_JUDGE = Path("to_judge.json")
_SOURCE = re.compile(r'<source id="([^"]+)"(.*?)\n</source>', re.DOTALL)
_CLAIM = re.compile(r'<claim id="(\d+)" sources="([^"]*)">\n(.*?)\n</claim>', re.DOTALL)


def main(experiments: list[Path], *, keep: bool) -> None:
    rules = _recorded() if keep else []
    queries: list[Query] = list(recorded_queries()) if keep else []
    for experiment in experiments:
        rules += _rules(experiment)
        queries += read_definition(experiment).queries
    # What is asked in two experiments with the same data is answered as in the first.
    joined = {_request(rule): rule for rule in reversed(rules)}
    _write([*reversed(joined.values())])
    write_lines(QUERIES, (query.as_line() for query in {query.query_id: query for query in queries}.values()))
    print(f"{len(joined)} answers to {len(queries)} questions, {SCRIPT.stat().st_size / 1000:.0f} kB in {SCRIPT}.")


def _recorded() -> list[Rule]:
    return json.loads("\n".join(read_lines(SCRIPT)))["rules"]


def _write(rules: list[Rule]) -> None:
    write_lines(SCRIPT, json.dumps({"rules": rules}, ensure_ascii=False, indent=1).split("\n"))


def _rules(experiment: Path) -> list[Rule]:
    """What the agents and the judges of an experiment answered; of different answers to one request, the first."""
    paths = [path for label in read_definition(experiment).systems for path in run_files(experiment, label)]
    effects = [effect for path in paths if path.match(f"*-r1{RUN_FILE}") for effect in read_journal(path)]
    for path in sorted(judge_journals(experiment), key=lambda path: (path.parts[-3], path)):
        effects += read_journal_of(path)
    rules: dict[str, Rule] = {}
    ambiguous = failures = 0
    for effect in (effect for effect in effects if effect.kind == "model"):
        if effect.error is not None:
            failures += 1
            continue
        rule = _rule(effect)
        ambiguous += rules.setdefault(_request(rule), rule) != rule
    print(f"{experiment}: {len(rules)} answers, {ambiguous} ambiguous ones left out, {failures} failed.")
    return [*rules.values()]


def _rule(effect: Effect) -> Rule:
    """The request and answer of one call. Counts of tokens are the provider's own, and not played."""
    messages: list[dict[str, Any]] = effect.request["messages"]
    schema = effect.request.get("schema")
    opening = next((_text(message) for message in messages if message["role"] == "human"), "")
    made = scripted.Rule(
        tools=tuple(tool["function"]["name"] for tool in effect.request.get("tools", ())),
        turn=1 + sum(message["role"] == "ai" for message in messages),
        schema="" if schema is None else str(schema.get("title", "")),
        opening=digest_of(opening),
        prompt=prompt_of(_text(message) for message in messages if message["role"] in ("human", "system")),
        answer=_answer(effect, asked_in_schema=schema is not None),
    )
    return made.model_dump(mode="json", exclude_none=True, exclude_defaults=True, by_alias=True)


def _text(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else str(content)


def _answer(effect: Effect, *, asked_in_schema: bool) -> ScriptedAnswer:
    """The answer of one call. A judge's journal holds the text of an answer, a run's the whole message."""
    if not isinstance(effect.response, dict):
        text, calls = str(effect.response), ()
    else:
        message = AIMessage.model_validate(effect.response)
        text = message.text
        calls = tuple(ScriptedCall(name=call["name"], args=call["args"]) for call in message.tool_calls)
    structured: Any = (calls[0].args if calls else json_or_none(text)) if asked_in_schema else None
    if isinstance(structured, dict):
        return ScriptedAnswer(structured=structured)
    return ScriptedAnswer(text=text, calls=calls)


def _request(rule: Rule) -> str:
    """What a rule is for: its conditions."""
    return json.dumps({name: value for name, value in rule.items() if name not in _GIVEN}, sort_keys=True)


def again(checkout: Path, judged: Path | None) -> None:
    """Records what is asked today with the answers to the most similar requests of an older version."""
    with tempfile.TemporaryDirectory() as folder:
        asked = Path(folder) / "openings.json"
        environment = os.environ | {"PYTHONPATH": str(checkout), "PYTHONDONTWRITEBYTECODE": "1"}
        subprocess.run([sys.executable, __file__, "--openings", str(asked)], env=environment, check=True)  # noqa: S603 -- this interpreter and file
        openings: dict[str, str] = json.loads(asked.read_text(encoding="utf-8"))
    answers: dict[str, Any] = json.loads(judged.read_text(encoding="utf-8")) if judged else {}
    play = _Again(_recorded(), openings, answers)
    _play(scripted_model(play=play, name="recorded"))
    if play.to_judge:
        TO_JUDGE.write_text(json.dumps(play.to_judge, ensure_ascii=False, indent=1), encoding="utf-8")
        raise SystemExit(
            f"The prompts of {len(play.to_judge)} requests have changed: answer {TO_JUDGE}, then --judged."
        )
    for rule in play.rules:
        if rule["opening"] not in play.used and rule["schema"] != SUPPORT:
            print(f"nobody asks any more, turn {rule['turn']}, {rule['schema'] or 'no schema'}: {rule['answer']}"[:300])
    # In the order of the older recording: answers that are alike stand together, and pack well.
    _write([rule for _, rule in sorted(play.made.values(), key=lambda made: made[0])])
    print(f"{len(play.made)} answers; {len(play.rules)} were recorded.")


class _Again:
    """Plays the answers of an older recording to requests whose data has changed."""

    def __init__(self, rules: list[Rule], openings: dict[str, str], answers: dict[str, Any]) -> None:
        self.rules, self.openings, self.answers = rules, openings, answers
        self.to_judge: dict[str, str] = {}
        """What nobody has answered yet, by digest: requests whose prompt is not the one that was answered."""
        self.made: dict[str, tuple[int, Rule]] = {}
        """The rules of today, each with the place of the older rule that it comes from."""
        self.used: dict[str, str] = {}
        """The opening of today for each of the older version."""
        self.verdicts: dict[tuple[str, str], list[tuple[Rule, Rule]]] = defaultdict(list)
        """The verdicts on each claim, by its sources and words, each with its rule."""
        for rule in rules:
            if rule["schema"] == SUPPORT:
                by_id = {verdict["claim_id"]: verdict for verdict in rule["answer"]["structured"]["claims"]}
                for number, *claim in _CLAIM.findall(openings.get(rule["opening"], "")):
                    self.verdicts[*claim].append((by_id[int(number)], rule))

    def __call__(self, request: Request) -> ScriptedAnswer:
        found = self._verdicts_on(request) if request.schema == SUPPORT else self._nearest(request)
        if found is None:
            print(f"no answer is left for {request}\n{request.last}\n")
            raise ModelError("model", "no answer is left")
        answer, older = found
        if older.get("prompt") != request.prompt:
            if request.digest not in self.answers:
                self.to_judge[request.digest] = request.opening
            answer = {"structured": self.answers[request.digest]} if request.digest in self.answers else answer
        rule = {"answer": answer, "opening": request.digest, "prompt": request.prompt, **_place_of(request)}
        self.made[_request(rule)] = (self.rules.index(older), rule)
        return ScriptedAnswer.model_validate(answer)

    def _nearest(self, request: Request) -> tuple[Rule, Rule] | None:
        """The answer to the most similar request, with its rule."""
        known = [rule for rule in self.rules if _place_of(request) == {name: rule[name] for name in _PLACE}]
        found = next((rule for rule in known if self.used.get(rule["opening"]) == request.digest), None)
        if found is None:
            free = [rule for rule in known if rule["opening"] not in self.used]
            same = [rule for rule in free if rule["opening"] == request.digest]
            found = max(same or free, key=lambda rule: self._likeness(rule, request), default=None)
        if found is None:
            return None
        self.used[found["opening"]] = request.digest
        return found["answer"], found

    def _likeness(self, rule: Rule, request: Request) -> float:
        of_old, of_new = self.openings.get(rule["opening"], "").splitlines(), request.opening.splitlines()
        return SequenceMatcher(None, of_old, of_new, autojunk=False).ratio()

    def _verdicts_on(self, request: Request) -> tuple[Rule, Rule] | None:
        """A verdict for each claim, whatever others it is asked with; prints quotes that no source holds any more."""
        verdicts: list[Rule] = []
        older: list[Rule] = []
        texts = [(source, " ".join(text.split())) for source, text in _SOURCE.findall(request.opening)]
        for number, *claim in _CLAIM.findall(request.opening):
            known = self.verdicts.get((claim[0], claim[1]), [])
            if not known:
                return None
            shown = [text for source, text in texts if source in ("Q", *claim[0].split())]
            holding = [
                each
                for each in known
                if all(any(" ".join(quote.split()) in text for text in shown) for quote in each[0]["quotes"])
            ]
            verdict, rule = max(
                holding or known, key=lambda each: (bool(each[0]["quotes"]), self._likeness(each[1], request))
            )
            if not holding:
                print(f"{request.digest}, claim {number}: a quote is gone: {verdict}\n  {claim[1]}\n")
            verdicts.append(verdict | {"claim_id": int(number)})
            older.append(rule)
        return {"structured": {"claims": verdicts}}, older[0]


def _place_of(request: Request) -> Rule:
    return {"schema": request.schema or "", "tools": list(request.tools), "turn": request.turn}


def _openings(to: Path) -> None:
    """Writes the openings of all requests of this version, by their digests."""
    model = recorded_model()
    _play(model)
    to.write_text(json.dumps({request.digest: request.opening for request in requests_of(model)}), encoding="utf-8")


def _play(model: Model) -> None:
    demo_recording.recorded_model = lambda: model
    with tempfile.TemporaryDirectory() as folder, open_world("demo") as shop:
        play_answers(Path(folder) / "exp", shop, "drretail-demo/world")
        play_judge(Path(folder) / "exp", shop, Progress())


if __name__ == "__main__":
    arguments = sys.argv[1:]
    match arguments:
        case ["--again", checkout, *judged] if not judged or judged[:-1] == ["--judged"]:
            again(Path(checkout).absolute(), Path(judged[1]) if judged else None)
        case ["--openings", to]:
            _openings(Path(to))
        case _:
            main([Path(name) for name in arguments if name != "--keep"], keep="--keep" in arguments)
