"""Texts of reports as people vote on them: without the names of systems and models, everything else untouched."""

import re
from collections.abc import Iterable, Iterator

from markupsafe import Markup

from drretail.eval.judging.material import picks_with_prices
from drretail.eval.judging.subject import Subject
from drretail.experiment import Definition
from drretail.grounding.report.render import render_report
from drretail.records.run import System
from drretail.viewer.page.report_html import marked_html

WITHHELD = "[name withheld]"
_TAG = re.compile(r"\A<picks[^>]*>\n|\n</picks>\Z")


class Names:
    """What would tell which system wrote a report: labels, agents and models of an experiment."""

    def __init__(self, definition: Definition) -> None:
        every = {name for label, system in definition.systems.items() for name in _names(label, system)}
        # The longest first: a model's name may begin with another's.
        spelled = "|".join(_spelling(name) for name in sorted(every, key=lambda name: (-len(name), name)))
        self._pattern = re.compile(rf"(?<![\w@]){spelled and f'(?:{spelled})'}(?!\w)", re.IGNORECASE) if every else None

    def withheld(self, text: str) -> str:
        """The text with each of them replaced."""
        return text if self._pattern is None else self._pattern.sub(WITHHELD, text)


def _names(label: str, system: System) -> Iterator[str]:
    yield from _unmistakable([label, system.agent])
    for model in system.models.values():
        provider, _, name = model.spec.partition(":")
        yield model.spec
        yield from _unmistakable([provider] if provider not in ("offline", "scripted") else [])
        if any(each in name for each in "-.0123456789"):
            yield name
            # "As Claude, I …": what a model is called by itself is how its name begins.
            yield from re.findall(r"\A[a-z]{3,}", name.rpartition("/")[2].casefold())


def _unmistakable(names: Iterable[str]) -> Iterator[str]:
    """Without plain English words: how skin may react is no word about an agent."""
    return (name for name in names if not re.fullmatch(r"[a-z]+", name) or name in ("openai", "anthropic", "ollama"))


def _spelling(name: str) -> str:
    """However its parts are joined: hybrid_react, Hybrid-ReAct, hybrid react."""
    return r"[-_ .:/]?".join(re.escape(part) for part in re.split(r"[-_ .:/]+", name) if part)


def blind_report(subject: Subject, names: Names) -> Markup:
    """A report as HTML, its citations as numbers that lead to the titles and links at its end."""
    rendered = render_report(subject.report or "", subject.evidence)
    return marked_html(names.withheld(rendered.text), []).html


def blind_picks(subject: Subject, names: Names) -> tuple[str, ...]:
    """What the report puts into the cart, a line each, as judges are shown it; nothing where that is not known."""
    text = _TAG.sub("", picks_with_prices(subject, "default"))
    return tuple(names.withheld(line) for line in text.splitlines())
