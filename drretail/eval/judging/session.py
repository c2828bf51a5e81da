"""Questions to a judge, answered in a schema, validated, repaired at most twice, and journalled.

A ``JudgeSession`` is one judge on one run, or on two that are compared, in one metric. It knows the existing verdicts,
asks for missing ones, and appends every verdict at once. The journal beside the verdict file serves earlier answers.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from drretail.errors import ModelError
from drretail.eval.judging.dimensions import neutral, values_for
from drretail.eval.judging.question import (
    LEFT_OUT,
    CodeVerdict,
    JudgeAnswer,
    JudgeQuestion,
    Ruling,
    VerdictFile,
    read_journal_of,
)
from drretail.eval.judging.spending import Allowance
from drretail.event_loop import all_ended
from drretail.experiments.journal import ActionResult, Journal
from drretail.experiments.packs import JOURNAL, unpack
from drretail.llm.prompt import Prompt
from drretail.llm.registry import Model
from drretail.llm.structured import Check, Question, answered_json
from drretail.llm.usage import CHARACTERS_PER_TOKEN
from drretail.records.base import Record, sha256_of
from drretail.records.run import Usage, slug
from drretail.records.score import CODE, JudgeRef, Order, Rules, Verdict, VerdictState, verdict_key

SOURCES_SHARE = 0.5
"""The share of a judge's context that sources may fill; the rest is for prompt, claims and answer, and for miscounted
tokens.
"""
MOST_SOURCES = 100_000
"""The most tokens of sources, whatever the context: more is paid for with every claim and improves no verdict."""
Again = Literal["nothing", "failed", "everything"]
"""Which existing verdicts are judged again."""
T = TypeVar("T", bound=Record)
R = TypeVar("R")
AT_ONCE = 4
"""Concurrent questions about one report."""


@dataclass(frozen=True, slots=True, eq=False)
class JudgeStep(Generic[R]):
    """Something to ask for, and what to do with the answer."""

    ask: Callable[[], Awaitable[R]]
    keep: Callable[[R], object]
    begins_with: str = ""
    """As in a question."""


@dataclass(frozen=True, slots=True)
class Judge:
    """Who judges; without a model it is code."""

    ref: JudgeRef
    slug: str
    """The name of the judge's folder: one for each model and set of parameters."""
    model: Model | None = None

    @classmethod
    def of(cls, model: Model) -> "Judge":
        """A model as a judge. The same model with the same settings at another address is the same judge."""
        settings = {name: value for name, value in model.params.items() if name != "base_url"}
        params = sha256_of(settings)[:8] if settings else ""
        ref = JudgeRef(spec=model.spec, kind=model.info.kind, params_hash=params)
        return cls(ref, "-".join(filter(None, (slug(model.spec), params))), model)

    def with_wording(self, wording: str) -> "Judge":
        """The same model with other prompts, which makes it another judge; without a name, the judge itself."""
        if not wording:
            return self
        params = "-".join(filter(None, (self.ref.params_hash, wording)))
        return replace(self, ref=self.ref.model_copy(update={"params_hash": params}), slug=f"{self.slug}-{wording}")


CODE_JUDGE = Judge(JudgeRef(spec=CODE, kind="rule_based"), CODE)
"""The judge of metrics that need no model."""


class JudgeSession:
    """One judge on one run in one metric; close it, or use it as a context manager.

    If reports are compared, ``other_run_id`` and ``other_report_sha`` are the second one's, and every question has an
    ``order``, which says whose report the judge reads first.
    """

    def __init__(
        self,
        judge: Judge,
        file: VerdictFile,
        *,
        metric: str,
        version: int,
        run_id: str,
        report_sha: str,
        other_run_id: str | None = None,
        other_report_sha: str | None = None,
        rules: Rules = "default",
        again: Again = "nothing",
        allowance: Allowance | None = None,
        fresh: set[tuple[str, ...]] | None = None,
        is_external: bool = False,
    ) -> None:
        """``fresh`` are the keys of verdicts that this command made; all its sessions may share one set.

        ``is_external`` means that no shop of ours and no shopper is behind the reports, so that prompts do not mention
        them. Such prompts keep the hash of the prompt that they are made from.
        """
        self.judge = judge
        self._allowance = allowance or Allowance()
        self.file = file
        self.rules: Rules = rules
        self._about: dict[str, Any] = {
            "metric": metric,
            "version": version,
            "rules": rules,
            "run_id": run_id,
            "report_sha": report_sha,
            "other_run_id": other_run_id,
            "other_report_sha": other_report_sha,
            "judge": judge.ref,
            "judge_repeat": 1,
        }
        self._again: Again = again
        self._new: set[tuple[str, ...]] = set() if fresh is None else fresh
        self._is_external = is_external
        self._journals: list[Journal] = []
        """The journal of all repeats, made by the first question."""
        self._repairs: Counter[tuple[str, str, Order | None]] = Counter()
        """By stage, item and order, the answers that were sent back and are not in a verdict yet."""

    def of_repeat(self, repeat: int) -> "JudgeSession":
        """The same judge asked again from the start, as its ``repeat``-th time (from 1).

        All repeats share their files: closing one closes all.
        """
        again = copy(self)
        again._about, again._repairs = {**self._about, "judge_repeat": repeat}, Counter()
        return again

    def sibling(self, metric: str, version: int, rules: Rules = "default") -> "JudgeSession":
        """The same judge on the same run in the same repeat in another metric; close it separately."""
        root, other = self.file.path.parents[2], copy(self)
        other.file, other.rules = VerdictFile(root.with_name(metric) / self.file.path.relative_to(root)), rules
        other._about = {**self._about, "metric": metric, "version": version, "rules": rules}
        other._about |= {"other_run_id": None, "other_report_sha": None}
        other._journals, other._repairs = [], Counter()
        return other

    def verdicts_in(self, metric: str, version: int, prompt_hashes: frozenset[str]) -> list[Verdict]:
        """This judge's verdicts on the same report in another metric, by these prompts and under the same rules."""
        theirs = self.sibling(metric, version, self.rules).verdicts()
        return [verdict for verdict in theirs if verdict.prompt_hash in prompt_hashes]

    def verdicts(self) -> list[Verdict]:
        """The last verdicts of this session on the report as it is, of all stages and items."""
        about = self._about.items()
        return [
            verdict for verdict in self.file.lasts() if all(getattr(verdict, name) == value for name, value in about)
        ]

    @property
    def has_new(self) -> bool:
        """True if this command made any of them."""
        return any(verdict.key in self._new for verdict in self.verdicts())

    @property
    def room(self) -> int | None:
        """The bytes that the sources of one question may take; None without a limit."""
        context = None if self.judge.model is None else self.judge.model.context
        return None if context is None else min(int(context * SOURCES_SHARE), MOST_SOURCES) * CHARACTERS_PER_TOKEN

    @property
    def journal_path(self) -> Path:
        """The journal beside the verdict file; the first question makes it."""
        return self.file.path.with_suffix(JOURNAL)

    def existing(self, stage: str, item: str, prompt_hash: str = "", *, order: Order | None = None) -> Verdict | None:
        """The existing verdict; None if it is missing, stale or to be judged again.

        Verdicts that this command made always count.
        """
        last = self.file.last(verdict_key(stage=stage, item=item, order=order, **self._about))
        if last is None or last.key in self._new:
            return last
        reports = last.report_sha, last.other_report_sha
        changed = reports != (self._about["report_sha"], self._about["other_report_sha"])
        is_wanted_anew = self._again == "everything" or (self._again == "failed" and last.state == "failed")
        return None if changed or last.prompt_hash != prompt_hash or is_wanted_anew else last

    def record_if_changed(self, stage: str, item: str, verdict: CodeVerdict) -> None:
        """Records a verdict of code, unless an equal one exists or the existing one is to stay."""
        existing = self.existing(stage, item)
        if existing is not None:
            before = CodeVerdict(existing.state, existing.value, existing.reason, existing.notes)
            if verdict.keeps_existing or verdict._replace(keeps_existing=False) == before:
                return
        self.record(stage, item, verdict.state, verdict.value, reason=verdict.reason, notes=verdict.notes)

    def record_if_missing(
        self,
        stage: str,
        item: str,
        state: VerdictState,
        value: Any = None,
        *,
        prompt_hash: str = "",
        order: Order | None = None,
        reason: str = "",
    ) -> Verdict:
        """The existing verdict, or else this one, which is recorded without a question."""
        existing = self.existing(stage, item, prompt_hash, order=order)
        return existing or self.record(stage, item, state, value, prompt_hash=prompt_hash, order=order, reason=reason)

    def record(
        self,
        stage: str,
        item: str,
        state: VerdictState,
        value: Any = None,
        *,
        order: Order | None = None,
        error: str | None = None,
        **fields: Any,
    ) -> Verdict:
        """Appends a verdict with these ``fields``, which survives the process once this returns."""
        repairs = self._repairs.pop((stage, item, order), 0)
        about = {"value": value, "order": order, "error": error, "repairs": repairs}
        verdict = self._verdict(stage, item, state, **about, **fields)
        self.file.append(verdict)
        self._new.add(verdict.key)
        return verdict

    async def ask(
        self,
        stage: str,
        item: str,
        prompt: Prompt,
        values: Mapping[str, str],
        answer: type[T],
        check: Check[T] | None = None,
        *,
        order: Order | None = None,
        purpose: str = "",
    ) -> JudgeAnswer[T]:
        """The judge's answer to ``prompt`` filled with ``values`` (data already in tags). Records no verdict.

        ``purpose`` sets how long the answer may be, if that is not the default.

        Refusals, time-outs and answers cut at their longest length fail at once. An answer that does not fit the
        schema, or that ``check`` objects to, is sent back at most twice. Raises CapReached if nothing may be asked any
        more; answers in the journal are still served.
        """
        from langchain_core.messages import HumanMessage

        model = self.judge.model
        assert model is not None, f"{stage}/{item} needs a judge with a model, and this one is code"
        if not self._journals:
            unpack(self.journal_path)
            self._journals.append(Journal(self.journal_path))
        model = model.answering(purpose)
        place = self._verdict(stage, item, "na", order=order)
        scope = f"{stage}/{'/'.join(filter(None, (item, order)))}#{place.judge_repeat}.{place.attempt}"
        worded = neutral(prompt) if self._is_external else prompt
        shared, rest = worded.render_parts(**(values_for(worded, values) if self._is_external else values))
        calls = _QuestionCalls(self.judge, model, self._journals[0], scope, self._allowance, shared)
        reply = await Question(answer, calls.call, check).put([HumanMessage(shared + rest)])
        self._repairs[stage, item, order] += reply.attempts - 1
        if reply.failure is not None:
            return JudgeAnswer(None, prompt.hash, f"{reply.failure.kind}: {reply.failure.message}")
        return JudgeAnswer(reply.answer, prompt.hash)

    async def take_all(self, steps: Iterable[Awaitable[object]]) -> None:
        """Takes independent steps in turn, so that files come out equal."""
        for step in steps:
            await step

    async def together(self, steps: Iterable[Awaitable[R]]) -> list[R]:
        """The results of concurrent steps that record nothing. Raises the first error once all have ended."""
        return await all_ended(steps)  # none may write on after the file is closed

    async def ask_and_record(self, *questions: JudgeQuestion[Any]) -> list[Verdict]:
        """The verdicts on all items of these questions, in order; missing ones are asked for.

        ``AT_ONCE`` questions are asked concurrently, and answers are recorded in the order of the questions. A question
        without an answer leaves failed verdicts. Raises the first error once all answers are recorded.
        """

        def existing(question: JudgeQuestion[Any]) -> list[Verdict | None]:
            wording = question.prompt.hash
            return [self.existing(question.stage, item, wording, order=question.order) for item in question.about]

        def is_answered(question: JudgeQuestion[Any]) -> bool:
            """False if a verdict is missing, or rests on other texts of the sources."""
            texts = {(source.id, source.sha256) for source in question.sources}
            return all(
                verdict is not None and {(source.id, source.sha256) for source in verdict.sources} == texts
                for verdict in existing(question)
            )

        await self.take(
            [
                JudgeStep(partial(self._put, question), partial(self._record_answer, question), question.begins_with)
                for question in questions
                if not is_answered(question)
            ]
        )
        return [verdict for question in questions for verdict in existing(question) if verdict is not None]

    async def take(self, steps: Sequence["JudgeStep[Any]"]) -> None:
        """Takes steps concurrently, ``AT_ONCE`` at a time, and keeps their results in order.

        Raises the first error once all results are kept.
        """
        first_of: dict[str | int, JudgeStep[Any]] = {}
        for step in steps:
            first_of.setdefault(step.begins_with or id(step), step)
        first = [*first_of.values()]
        gate = asyncio.Semaphore(AT_ONCE)

        async def taken(step: "JudgeStep[Any]") -> Any:
            async with gate:
                return await step.ask()

        ended: dict[int, Any] = {}
        for wave in (first, [step for step in steps if step not in first]):
            brought = await asyncio.gather(*map(taken, wave), return_exceptions=True)
            ended.update(zip(map(id, wave), brought, strict=True))
            if any(isinstance(result, BaseException) for result in brought):
                break
        for step in steps:
            if id(step) in ended and not isinstance(ended[id(step)], BaseException):
                step.keep(ended[id(step)])
        for outcome in ended.values():
            if isinstance(outcome, BaseException):
                raise outcome

    async def _put(self, question: JudgeQuestion[T]) -> JudgeAnswer[T]:
        return await self.ask(
            question.stage,
            question.item,
            question.prompt,
            question.values() if callable(question.values) else question.values,
            question.answer,
            question.check,
            order=question.order,
            purpose=question.purpose,
        )

    def _record_answer(self, question: JudgeQuestion[T], reply: JudgeAnswer[T]) -> None:
        with self.file.at_once():
            rulings = {} if reply.answer is None else question.rulings(reply.answer)  # which may record as well
            for item in question.about:
                ruling = rulings.get(item, Ruling(None, error=reply.error or LEFT_OUT))
                self.record(
                    question.stage,
                    item,
                    "failed" if ruling.error else "scored",
                    ruling.value,
                    prompt_hash=reply.prompt_hash,
                    order=question.order,
                    reason=ruling.reason,
                    quote=ruling.quote or None,
                    more_quotes=ruling.more_quotes,
                    sources=question.sources,
                    notes=(*ruling.notes, *question.notes),
                    error=ruling.error or None,
                )

    @property
    def usage(self) -> Usage:
        """All tokens that this judge used on this run in this metric, in all commands."""
        total = Usage()
        for effect in read_journal_of(self.journal_path):
            total = total + Usage(**(effect.usage or {}))
        return total

    def close(self) -> None:
        self.file.close()
        for journal in self._journals:
            journal.close()

    def __enter__(self) -> "JudgeSession":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _verdict(self, stage: str, item: str, state: VerdictState, **fields: Any) -> Verdict:
        """A verdict of this session, with its attempt one above the last one's of its key."""
        verdict = Verdict(stage=stage, item=item, state=state, **self._about, **fields)
        last = self.file.last(verdict.key)
        return verdict if last is None else verdict.model_copy(update={"attempt": last.attempt + 1})


@dataclass(frozen=True, slots=True)
class _QuestionCalls:
    """The calls of one question, each journalled in the scope of its verdict and charged to the allowance."""

    judge: Judge
    model: Model
    journal: Journal
    scope: str
    allowance: Allowance
    shared: str
    """The beginning that the first message shares with other questions."""

    async def call(self, messages: Sequence[Any], schema: dict[str, Any]) -> str:
        from drretail.llm.calling import MARKED, Attempts, answer_of, marked_after

        async def action() -> ActionResult:
            self.allowance.check()
            # With cache marks if the provider uses them; marks are not part of the journal's keys.
            is_marked = bool(self.shared) and self.model.info.provider in MARKED
            sent = marked_after(messages, self.shared) if is_marked else messages
            attempts = Attempts(priced=self.model.priced)
            try:
                message = await answer_of(self.model, sent, schema=schema, attempts=attempts)
            except ModelError as problem:
                self.allowance.count(Usage(**(problem.usage or {})))
                raise
            used = attempts.usage_with(message)
            self.allowance.count(used)
            return ActionResult(answered_json(message), used.model_dump(), len(attempts.failed))

        request = {
            "model": self.model.spec,
            "params": self.model.params,
            "messages": [{"role": message.type, "content": message.content} for message in messages],
            "schema": schema,
        }
        return (await self.journal.scope(self.scope).aperform("model", request, action)).response
