"""An experiment as logs of inspect_ai, one per system: ``inspect view`` and ``read_eval_log`` open them. Runs are their
samples: what models were told and answered, what tools returned, the usage, and the errors.
"""

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import takewhile
from math import isnan, nan
from pathlib import Path
from statistics import fmean
from typing import Any, cast

from inspect_ai.event import ErrorEvent, Event, ModelEvent, SpanBeginEvent, SpanEndEvent, ToolEvent
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalError,
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    EvalStats,
    condense_sample,
    write_eval_log,
)
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.scorer import SampleScore, Score, ci, mean, stderr
from inspect_ai.tool import ToolCall, ToolCallError

from drretail import __version__
from drretail.addons.exports.selection import metrics_with_verdicts
from drretail.addons.inspect.explanation import explanation_of, verdicts_of
from drretail.errors import UserError
from drretail.eval.metric import Metric, Value
from drretail.eval.scores.file import read_scores
from drretail.eval.scores.gathering import Assessor, Gathered, gather_with_panels, is_panel, judge_spec
from drretail.experiment import Definition, ended_run, path_of
from drretail.journal import Effect
from drretail.records.base import canonical_json, file_name, sha256_of
from drretail.records.query import Query
from drretail.records.run import Run, Step, System, Usage
from drretail.records.score import Score as Row
from drretail.records.score import Verdict
from drretail.run_file import read_journal, read_results

MAIN = "0"
NOBODY = "none/none"
"""The model of systems that use none."""


def sample_of(run: Run, query: Query, path: Path, system: System, scores: Mapping[str, Score]) -> EvalSample:
    """A run as a sample: the query's id, its repeat as the epoch, the report as its output."""
    course = _Course(run, query, path, system)
    report = ChatMessageAssistant(id=_id(run.run_id, "report"), content=run.report or "", source="generate")
    output = ModelOutput(model=course.model, choices=[ChatCompletionChoice(message=report)] if run.report else [])
    fields = {
        "run_id": run.run_id,
        "user_id": run.user_id,
        "kind": query.kind,
        "stop": run.stop,
        "picks": None if run.picks is None else [pick.model_dump(mode="json", exclude_none=True) for pick in run.picks],
        "citations": [citation.model_dump(mode="json", exclude_none=True) for citation in run.citations],
        "notes": list(run.notes),
        "state_diff": [change.model_dump(mode="json") for change in run.state_diff],
    }
    # The conversation ends in the report, which is not repeated if it is the last answer already.
    messages, last = list(course.messages), course.messages[-1]
    if report.text:
        is_told = last.role == "assistant" and not last.tool_calls and report.text.strip() in last.text
        messages = [*(messages[:-1] if is_told else messages), report]
    sample = EvalSample(
        id=run.query_id,
        epoch=run.repeat,
        input=query.text,
        target="",
        messages=messages,
        output=output,
        scores=dict(scores),
        metadata={name: value for name, value in fields.items() if value not in (None, [])},
        events=course.events,
        model_usage=usage_by_model(run, system),
        role_usage={role: _usage(used) for role, used in run.usage.items()},
        started_at=course.began.isoformat(),
        completed_at=course.ended.isoformat(),
        total_time=(course.ended - course.began).total_seconds(),
        uuid=_id(run.run_id),
        error=None if run.error is None else _error(run),
    )
    return condense_sample(sample)


def usage_by_model(run: Run, system: System) -> dict[str, ModelUsage]:
    """The tokens of a run, by inspect's names of its models."""
    by_model: dict[str, ModelUsage] = defaultdict(ModelUsage)
    for role, used in run.usage.items():
        by_model[model_name(system, role)] += _usage(used)
    return dict(by_model)


def model_name(system: System, role: str | None = None) -> str:
    """A model as inspect writes it, "provider/model": the role's, or that of the role that writes the report."""
    models = system.models
    writers = [writer for writer in (role, "report", "researcher", *models) if writer is not None and writer in models]
    return models[writers[0]].spec.replace(":", "/", 1) if writers else NOBODY


class _Course:
    """A run from its first step to its last, as inspect's messages and events.

    The messages are the conversation of the first agent. Agents that it launched are spans among the events, after the
    answer that launched them.
    """

    def __init__(self, run: Run, query: Query, path: Path, system: System) -> None:
        self._run = run
        self._system = system
        self._results = read_results(path)
        self._effects = _effects(run.steps, read_journal(path))
        self._span: str | None = None
        self._clock = self.began = min(map(_start, self._effects.values()), default=datetime.fromtimestamp(0, UTC))
        self.model = model_name(system)
        self.messages: list[ChatMessage] = [ChatMessageUser(id=_id(run.run_id, "query"), content=query.text)]
        self.events = list(self._events())
        self.ended = max((event.timestamp for event in self.events), default=self.began)

    def _events(self) -> Iterator[Event]:
        branches: dict[str, list[int]] = defaultdict(list)
        for place, step in enumerate(self._run.steps):
            branches[step.path].append(place)
        main = branches.pop(MAIN, [])
        launched: dict[int | None, list[list[int]]] = defaultdict(list)
        for places in branches.values():
            # The answer after which a branch began, by the journal's times; None if these are unknown
            starts = [_start(self._effects[place]) for place in places if place in self._effects]
            began = min(starts, default=None)
            before = (place for place in reversed(main) if place in self._effects)
            answer = next(
                (place for place in before if began is not None and _start(self._effects[place]) <= began), None
            )
            launched[answer].append(places)
        for place in main:
            yield self._event(place, main)
            for places in launched.pop(place, ()):
                yield from self._in_span(places)
        for places in (place for left in launched.values() for place in left):
            yield from self._in_span(places)
        if self._run.error is not None:
            yield ErrorEvent(error=_error(self._run), **self._base("error"))

    def _in_span(self, places: Sequence[int]) -> Iterator[Event]:
        first, launched_at, messages = self._run.steps[places[0]], self._clock, self.messages
        span = self._span = _id(self._run.run_id, "span", str(places[0]))
        self.messages = messages[:1]
        yield SpanBeginEvent(id=span, name=f"{first.role} {first.path}", type="agent", **self._base(f"begin {span}"))
        for place in places:
            yield self._event(place, places)
        yield SpanEndEvent(id=span, **self._base(f"end {span}"))
        # Branches run side by side: the next one begins where this one did.
        self._span, self._clock, self.messages = None, launched_at, messages

    def _event(self, place: int, branch: Sequence[int]) -> Event:
        step = self._run.steps[place]
        if step.kind != "tool":
            return self._answer(place, self._calls(place, branch))
        if self.messages[-1].role == "user":  # a call that code made before any answer
            calls, key = [self._call(place), *self._calls(place, branch)], _id(self._run.run_id, "code", str(place))
            self.messages.append(ChatMessageAssistant(id=key, content="", tool_calls=calls))
        result = self._results.get(step.result_sha or "", "")
        error = None if step.error is None else ToolCallError("unknown", step.error)
        call, key = self._call(place), _id(self._run.run_id, str(place))
        answered = {"tool_call_id": call.id, "function": call.function, "error": error}
        self.messages.append(ChatMessageTool(id=key, content=result, **answered))
        return ToolEvent(
            id=call.id,
            function=call.function,
            arguments=call.arguments,
            result=result,
            error=error,
            metadata={"evidence": list(step.evidence)} | ({"mended": step.mended} if step.mended else {}),
            **self._base(f"step {place}"),
        )

    def _calls(self, place: int, branch: Sequence[int]) -> list[ToolCall]:
        """The tool calls that an answer asked for: those after it in its branch, up to the next answer."""
        after = (step for step in branch if step > place)
        return [self._call(step) for step in takewhile(lambda step: self._run.steps[step].kind == "tool", after)]

    def _answer(self, place: int, calls: Sequence[ToolCall]) -> ModelEvent:
        step = self._run.steps[place]
        model = model_name(self._system, step.role)
        effect = self._effects.get(place)
        if effect is not None:
            self._clock = max(self._clock, _start(effect))
        message = ChatMessageAssistant(
            id=_id(self._run.run_id, str(place)),
            content=self._results.get(step.result_sha or "", ""),
            tool_calls=list(calls) or None,
            model=model,
        )
        read = self.messages.copy() if effect is None else [_message(message) for message in effect.request["messages"]]
        if step.error is None:
            self.messages.append(message)
        seconds = 0.0 if effect is None else effect.seconds
        usage = None if effect is None or effect.usage is None else _usage(Usage(**effect.usage))
        return ModelEvent(
            model=model,
            role=step.role,
            input=read,
            tools=[],
            tool_choice="auto",
            config=GenerateConfig(),
            output=ModelOutput(
                model=model,
                choices=[] if step.error else [ChatCompletionChoice(message=message)],
                usage=usage,
                time=seconds,
            ),
            error=step.error,
            working_time=seconds,
            **self._base(f"step {place}"),
        )

    def _call(self, place: int) -> ToolCall:
        step = self._run.steps[place]
        return ToolCall(
            id=_id(self._run.run_id, "call", str(place)), function=step.name or "", arguments=dict(step.args or {})
        )

    def _base(self, part: str) -> dict[str, Any]:
        """The fields of every event: an id that is the same in every export, its span, and its time."""
        return {
            "uuid": _id(self._run.run_id, part),
            "span_id": self._span,
            "timestamp": self._clock,
            "working_start": (self._clock - self.began).total_seconds(),
        }


def _effects(steps: Sequence[Step], journal: Iterable[Effect]) -> dict[int, Effect]:
    """The model call behind each answer, by the step's place; empty if no journal was kept."""
    calls: dict[tuple[str, str], deque[Effect]] = defaultdict(deque)
    for effect in journal:
        if effect.kind == "model":
            calls[effect.scope, effect.role or ""].append(effect)
    answers = ((place, calls[step.path, step.role]) for place, step in enumerate(steps) if step.kind != "tool")
    return {place: left.popleft() for place, left in answers if left}


def _start(effect: Effect) -> datetime:
    return datetime.fromisoformat(effect.started)


def _message(message: Mapping[str, Any]) -> ChatMessage:
    """A message of the journal as inspect's. Its id is a hash of its content, so that equal messages are kept once."""
    key, parts = _id(canonical_json(message)), message.get("content") or ""
    # Without what a provider puts beside the words: thoughts, marks of its cache.
    texts = (
        parts if isinstance(parts, str) else [part if isinstance(part, str) else part.get("text", "") for part in parts]
    )
    content = "".join(texts)
    match message["role"]:
        case "system":
            return ChatMessageSystem(id=key, content=content)
        case "ai":
            calls = [ToolCall(call["id"], call["name"], call["args"]) for call in message.get("tool_calls") or ()]
            return ChatMessageAssistant(id=key, content=content, tool_calls=calls or None)
        case "tool":
            return ChatMessageTool(id=key, content=content, tool_call_id=message.get("tool_call_id"))
        case _:
            return ChatMessageUser(id=key, content=content)


def _usage(used: Usage) -> ModelUsage:
    return ModelUsage(
        input_tokens=used.input_uncached,
        output_tokens=used.output,
        total_tokens=used.total,
        input_tokens_cache_write=used.cache_creation,
        input_tokens_cache_read=used.cache_read,
    )


def _error(run: Run) -> EvalError:
    assert run.error is not None
    trace = run.error.traceback or ""
    return EvalError(message=f"{run.error.kind}: {run.error.message}", traceback=trace, traceback_ansi=trace)


def _id(*parts: str) -> str:
    """An id of twenty-two characters, as inspect's own have, that is the same in every export."""
    return sha256_of("|".join(parts))[:22]


METRICS = {"mean": mean, "stderr": stderr, "ci": ci}


@dataclass(frozen=True, slots=True)
class Scorer:
    """One judge in one metric, with its name in a log."""

    name: str
    metric: Metric
    assessor: Assessor
    variants: tuple[str, ...]


def scorers_in(gathered: Gathered) -> list[Scorer]:
    """One scorer for each judge with verdicts in a metric; of several, the scorers' names tell which.

    Metrics by which systems are chosen come first, since inspect takes the first score for the headline.
    """
    scorers: list[Scorer] = []
    for metric_name, metric in sorted(gathered.metrics.items(), key=lambda pair: not pair[1].description.primary):
        assessors = [assessor for assessor in gathered.assessors(metric_name) if not is_panel(assessor.judge.spec)]
        for assessor in assessors:
            rules = "" if assessor.rules == "default" else f", {assessor.rules}"
            name = metric_name if len(assessors) == 1 else f"{metric_name} ({judge_spec(assessor.judge)}{rules})"
            scorers.append(Scorer(name, metric, assessor, variants_of(metric)))
    return scorers


def variants_of(metric: Metric) -> tuple[str, ...]:
    """The variants that a single report has, primary ones first; those formed over all reports are left out."""
    alone = (name for name in metric.variants if name not in metric.pooled)
    return tuple(sorted(alone, key=lambda name: name not in metric.description.primary))


def score_of(
    name: str,
    metric: Metric,
    values: Mapping[str, Value],
    shown: Sequence[str],
    verdicts: Sequence[Verdict],
    lacks: str = "not_judged",
) -> Score:
    """The ``shown`` variants of a report's values. A missing one is NaN, which inspect leaves out of means and counts.

    A report without any value is unscored, because of what it ``lacks``.
    """
    scored = [values[variant] for variant in variants_of(metric) if variant in values]
    if not scored:
        return Score.unscored(reason=lacks, explanation=f"{name} was not judged.")
    numbers = {variant: values[variant].value if variant in values else None for variant in shown}
    return Score(
        value={variant: nan if number is None else number for variant, number in numbers.items()},
        explanation=explanation_of(scored, verdicts),
    )


def _results_of(scorer: Scorer, samples: Sequence[EvalSample], rows: Sequence[Row]) -> Iterator[EvalScore]:
    """The results of inspect's metrics on a scorer's samples, a query's repeats averaged first, and drretail's own.

    ``rows`` are the rows of scores.json for the same system, metric and judge.
    """
    ours = {row.variant: row for row in rows}
    for variant in scorer.variants:
        by_query: dict[str, list[float]] = defaultdict(list)
        for sample in samples:
            score = (sample.scores or {}).get(scorer.name)
            value = None if score is None or not isinstance(score.value, Mapping) else score.value.get(variant)
            numbers = by_query[str(sample.id)]
            if isinstance(value, int | float) and not isnan(value):
                numbers.append(float(value))
        scores = [
            SampleScore(score=Score(value=fmean(of_query)), sample_id=query)
            for query, of_query in by_query.items()
            if of_query
        ]
        metrics: dict[str, EvalMetric] = {}
        for name, metric in METRICS.items():
            computed = cast(Any, metric())(list(scores)) if scores else nan
            if isinstance(computed, Mapping):
                ends = computed.items()
                metrics |= {f"{name}_{end}": EvalMetric(name=end, group=name, value=value) for end, value in ends}
            else:
                metrics[name] = EvalMetric(name=name, value=computed)
        row = ours.get(variant)
        shown = {"value", "ci_low", "ci_high", "n_planned", "n_scored"}
        yield EvalScore(
            name=variant,
            scorer=scorer.name,
            reducer="mean",
            scored_samples=len(scores),
            unscored_samples=len(by_query) - len(scores),
            metrics=metrics,
            metadata=None if row is None else {"drretail": row.model_dump(include=shown)},
        )


def inspect_logs(experiment: Path, to: Path, runs: Collection[str] | None = None) -> list[Path]:
    """Writes a log for each system into the folder ``to``.

    ``runs`` are the ids of the runs to write; None writes all that have ended. Raises UserError if the folder has no
    experiment, or if nothing is left to write.
    """
    gathered = gather_with_panels(experiment, metrics_with_verdicts(experiment))
    by_system: dict[str, list[Run]] = defaultdict(list)
    for plan in gathered.plans:
        run = ended_run(experiment, plan.label, plan.query.query_id, plan.repeat)
        if run is not None and (runs is None or run.run_id in runs):
            by_system[plan.label].append(run)
    if not by_system:
        raise UserError(f"{experiment} holds no run to write: drretail run makes some.")
    to.mkdir(parents=True, exist_ok=True)
    paths = {label: to / f"{file_name(label)}.eval" for label in by_system}
    for label, path in paths.items():
        write_eval_log(_log(experiment, gathered, label, by_system[label]), path)
    return [*paths.values()]


def _log(experiment: Path, gathered: Gathered, label: str, runs: Sequence[Run]) -> EvalLog:
    scorers = scorers_in(gathered)
    samples = list(_samples(experiment, gathered, scorers, runs))
    samples.sort(key=lambda sample: (sample.epoch, str(sample.id)))
    scored = read_scores(experiment) if (experiment / "scores.json").exists() else None
    rows = [row for row in scored.scores if row.system == label] if scored is not None else []
    definition, system = gathered.definition, gathered.definition.systems[label]
    usage: dict[str, ModelUsage] = defaultdict(ModelUsage)
    for run in runs:
        for model, used in usage_by_model(run, system).items():
            usage[model] += used
    times = [time for sample in samples for time in (sample.started_at, sample.completed_at) if time is not None]
    times = [time for time in times if not time.startswith("1970")]
    began, ended = (pick(times, default="") for pick in (min, max))
    scores: list[EvalScore] = []
    for scorer in scorers:
        judge = scorer.assessor.judge
        by = (scorer.metric.name, judge.spec, judge.params_hash, scorer.assessor.rules)
        scores += _results_of(scorer, samples, [row for row in rows if (row.metric, *row.by_whom) == by])
    created = began or ("1970-01-01T00:00:00+00:00" if definition.now is None else definition.now.isoformat())
    completed = sum(sample.error is None for sample in samples)
    return EvalLog(
        status="success",
        eval=_spec(definition, label, samples, created),
        results=EvalResults(total_samples=len(samples), completed_samples=completed, scores=scores),
        stats=EvalStats(started_at=began, completed_at=ended, model_usage=dict(usage)),
        samples=samples,
    )


def _samples(
    experiment: Path, gathered: Gathered, scorers: Sequence[Scorer], runs: Sequence[Run]
) -> Iterator[EvalSample]:
    queries = {query.query_id: query for query in gathered.definition.queries}
    values = {
        scorer.name: {
            plan.run_id: answer.values for plan, answer in gathered.judged_runs(scorer.metric.name, scorer.assessor)
        }
        for scorer in scorers
    }
    for run in runs:
        scores: dict[str, Score] = {}
        for scorer in scorers:
            verdicts = verdicts_of(experiment, run, scorer.metric.name, scorer.assessor)
            value_of = values[scorer.name].get(run.run_id, {})
            scores[scorer.name] = score_of(scorer.name, scorer.metric, value_of, scorer.variants, verdicts)
        path = path_of(experiment, run)
        yield sample_of(run, queries[run.query_id], path, gathered.definition.systems[run.system], scores)


def _spec(definition: Definition, label: str, samples: Sequence[EvalSample], created: str) -> EvalSpec:
    system = definition.systems[label]
    metadata = {"label": label, "system": system.model_dump(mode="json", exclude_none=True)}
    query_ids: list[Any] = sorted({sample.id for sample in samples})
    key = sha256_of([definition.world_fingerprint, label, query_ids])
    return EvalSpec(
        eval_id=key[:22],
        run_id=key[22:44],
        task_id=key[42:64],
        created=created,
        task="shop_research",
        task_display_name=definition.title,
        solver=system.agent,
        tags=[label],
        model=model_name(system),
        dataset=EvalDataset(name=definition.title or "drretail", samples=len(query_ids), sample_ids=query_ids),
        config=EvalConfig(epochs=max(sample.epoch for sample in samples), epochs_reducer=["mean"]),
        packages={"drretail": __version__},
        metadata=metadata | {"world_fingerprint": definition.world_fingerprint, "seed": definition.seed},
    )
