"""Judges by their specs, and the world that an experiment was made in."""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from drretail.api.worlds import opened_world
from drretail.errors import UnknownName, UserError
from drretail.records.models import ModelChoice
from drretail.viewer.output import say

if TYPE_CHECKING:
    from pathlib import Path

    from drretail.api.models import Opener
    from drretail.env.web.base import Web
    from drretail.env.world import World
    from drretail.eval.family import Family
    from drretail.eval.judging.session import Judge
    from drretail.llm.registry import Model

OFFLINE_NOTE = (
    "No --judge given: offline:judge judges. It compares names, numbers and wording, and is no language model."
)
OFFLINE_JUDGE = "offline:judge"
OFFLINE_SHOPPER = "offline:shopper"


def judges(
    specs: Sequence[str],
    opener: "Opener",
    profile: str | None = None,
    *,
    on_offline: Callable[[], None] | None = None,
) -> "list[Judge]":
    """The judges that these specs name, else those of the profile, each once.

    offline:judge where neither names one; ``on_offline`` is then called.
    """
    from drretail.api.models import profile_of
    from drretail.eval.judging.session import Judge
    from drretail.eval.scores.panel import is_panel

    for spec in filter(is_panel, specs):
        raise UserError(
            f"{spec} is a panel, made of what its members said, and can't be asked: name the members instead, each "
            "with a --judge of its own."
        )
    chosen = [ModelChoice(model=spec) for spec in specs]
    if not chosen and (found := profile_of(profile, opener.settings)) is not None:
        chosen = [*found.judges]
    if not chosen:
        if on_offline is not None:
            on_offline()
        chosen = [ModelChoice(model=OFFLINE_JUDGE)]
    for provider, _, name in (choice.model.partition(":") for choice in chosen):
        if provider == "offline" and name and f"offline:{name}" != OFFLINE_JUDGE:
            raise UnknownName("offline judge", name, ["judge"])
    try:
        return [Judge.of(model) for model in opener.open_all(dict.fromkeys(chosen))]
    except UnknownName:
        raise
    except UserError as problem:  # who opens models knows of the one that answers offline, not of the one that judges
        raise UserError(str(problem).replace(OFFLINE_SHOPPER, OFFLINE_JUDGE)) from problem


def judges_for(
    families: "Sequence[str | Family]",
    given: "str | Model | Iterable[str | Model]",
    opener: "Opener",
    profile: str | None = None,
) -> "list[Judge]":
    """Who judges these families: specs, then models that are open; without any, the judges of the profile.

    Nobody where no family needs a judge. A note on stderr says if offline:judge stands in.
    """
    from drretail.eval.judging.session import Judge
    from drretail.eval.registry import PAIRWISE, load_metrics
    from drretail.llm.registry import Model

    if PAIRWISE not in families and not any(metric.needs_judge for metric in load_metrics(families)):
        return []
    brought = [given] if isinstance(given, str | Model) else list(given)
    if not brought:
        return judges([], opener, profile, on_offline=lambda: say(OFFLINE_NOTE))
    specs = list(dict.fromkeys(one for one in brought if isinstance(one, str)))
    named = judges(specs, opener) if specs else []
    return [*named, *(Judge.of(one) for one in brought if isinstance(one, Model))]


@contextmanager
def asked_in_batches(judges: "Sequence[Judge]", experiment: "Path", poll: float) -> "Generator[list[Judge]]":
    """The same judges, asked through Message Batches; ``poll`` is in seconds.

    What was sent is kept beside the verdicts until all of it is answered, so that a command that was cut finds its
    answers again. Raises UserError for a judge whose provider takes no batches.
    """
    from drretail.eval.judging.session import Judge
    from drretail.llm.batches.chat_model import batching

    with ExitStack() as stack:
        models = [judge.model for judge in judges if judge.model is not None]
        opened = [
            stack.enter_context(batching(model, experiment / "verdicts", notify=say, poll=poll)) for model in models
        ]
        yield [Judge.of(each.model, in_batches=True) for each in opened]
        for each in opened:
            each.settle()


@contextmanager
def world_of(
    experiment: "Path", spec: str | None, *, quiet: bool = False, web: "Web | None" = None
) -> "Generator[World | None]":
    """The world that an experiment was made in: the one at ``spec``, else the one that its runs name, with ``web``.

    None for imported reports, which have none; None, and a line that says why, where the runs' world is gone or has
    become another. Raises UserError when there is
    no experiment, and when ``spec`` names no world or another one.
    """
    from drretail.experiment import read_definition

    wanted = read_definition(experiment).world_fingerprint
    if wanted is None:
        if spec is not None:
            raise UserError(f"{experiment} holds imported reports, which have no world: leave --world out.")
        yield None
        return
    with ExitStack() as stack:
        if spec is not None:
            world = stack.enter_context(opened_world(spec, quiet=quiet))
            found = world.manifest.fingerprint
            if found != wanted:
                raise UserError(
                    f"The world {spec} ({found[:12]}) is not the one that the experiment was made in ({wanted[:12]}): "
                    "give that one, or leave --world away to go without the shop's records."
                )
            yield world
        else:
            yield _recorded(stack, experiment, wanted, web, quiet=quiet)


def _recorded(stack: ExitStack, experiment: "Path", wanted: str, web: "Web | None", *, quiet: bool) -> "World | None":
    from drretail.files import read_json

    files = sorted((experiment / "runs").glob("*/*/telemetry.json"))
    places = dict.fromkeys(str(world) for file in files if (world := read_json(file).get("world")) is not None)
    why = "no run says in which world it was made"
    for place in places:
        try:
            world = stack.enter_context(opened_world(place, quiet=quiet, web=web))
        except UserError as problem:
            why = str(problem).partition(". ")[0].rstrip(".")
            continue
        if world.manifest.fingerprint == wanted:
            return world
        why = f"the world {place} has become another since the runs were made"
    say(f"Without the shop's records ({why}), what needs them is na. Name the world with --world.")
    return None
