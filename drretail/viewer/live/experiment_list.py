"""Several experiments on one server: a table of them in order of time, and the pages of each below its name."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route, Router
from starlette.types import Receive, Scope, Send

from drretail.viewer.live.layout import page_response
from drretail.viewer.timeline import Listed, experiments_in, overview_of, read_listed

_WIDE, _TALL, _EDGE = 56, 16, 3
"""Width, height and margin of a trend line, in pixels."""


@dataclass(slots=True)
class Experiments:
    """The experiments of one folder; new ones appear when the page is reloaded."""

    folder: Path
    pages_of: Callable[[Path, str], list[Route]]
    """Makes the routes of one experiment, given its folder and the prefix of its addresses."""
    _listed: dict[Path, tuple[list[tuple[int, int]], Listed]] = field(
        default_factory=dict[Path, tuple[list[tuple[int, int]], Listed]], init=False
    )
    """What was read of each folder, with the times and sizes of the files that it was read from."""
    _routers: dict[str, Router] = field(default_factory=dict[str, Router], init=False)

    def routes(self) -> list[BaseRoute]:
        return [Route("/", self.index), Mount("/e/{name}", app=self.experiment)]

    async def index(self, request: Request) -> Response:
        listed = await run_in_threadpool(lambda: [self._read(folder) for folder in experiments_in(self.folder)])
        return page_response(
            "experiments.html.jinja",
            folder=self.folder.resolve().name,
            overview=overview_of(listed),
            trend=trend_svg,
            address=lambda each: address_of_experiment(each.folder),
        )

    async def experiment(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The pages of the experiment that the address names."""
        name = scope["path_params"]["name"]
        router = self._routers.get(name)
        if router is None:
            folder = next((each for each in experiments_in(self.folder) if each.name == name), None)
            if folder is None:
                raise HTTPException(404, f"There is no experiment {name} in {self.folder}.")
            router = self._routers[name] = Router(self.pages_of(folder, address_of_experiment(folder).rstrip("/")))
        await router(scope, receive, send)

    def _read(self, folder: Path) -> Listed:
        files = [folder / "experiment.json", folder / "scores.json"]
        stamp = [(path.stat().st_mtime_ns, path.stat().st_size) for path in files if path.exists()]
        stamp.append((len(list((folder / "runs").glob("*/*/run.json"))), 0))
        kept = self._listed.get(folder)
        if kept is None or kept[0] != stamp:
            kept = self._listed[folder] = (stamp, read_listed(folder))
        return kept[1]


def address_of_experiment(folder: Path) -> str:
    return f"/e/{quote(folder.name, safe='')}/"


def trend_svg(values: tuple[float, ...]) -> Markup:
    """A line from the oldest value to the latest; empty for a single value."""
    if len(values) < 2:
        return Markup()
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    step = (_WIDE - 2 * _EDGE) / (len(values) - 1)
    height = _TALL - 2 * _EDGE
    points = [
        (f"{_EDGE + step * at:.1f}", f"{_EDGE + height * ((high - value) / span if high > low else 0.5):.1f}")
        for at, value in enumerate(values)
    ]
    label = ", ".join(f"{value:.2f}" for value in values)
    return Markup(
        '<svg class="trend" viewBox="0 0 {} {}" width="{}" height="{}" role="img" aria-label="{label}">'
        '<title>{label}</title><polyline points="{points}"/><circle cx="{x}" cy="{y}" r="2.2"/></svg>'
    ).format(
        _WIDE,
        _TALL,
        _WIDE,
        _TALL,
        label=label,
        points=" ".join(map(",".join, points)),
        x=points[-1][0],
        y=points[-1][1],
    )
