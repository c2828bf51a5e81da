"""The judges' prompts as files that a user may override: ``faithfulness/support.md``, ``quality/rating.md``.

A judge that is told something else is another judge: it has a name, verdicts and scores of its own, and its prompts
are kept in the experiment, so that what it said still counts when it is read.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from drretail.eval.registry import METRICS, load_metric, pair_family
from drretail.files import write_atomically
from drretail.prompts import changed_prompts, files_loaded, overridden, plain_text
from drretail.records.base import sha256_of
from drretail.records.ids import file_name
from drretail.records.run import slug

_FAMILIES = Path(__file__).parent / "families"
_SHARED = Path(__file__).parent
"""Of what several families ask."""
KEPT = Path("prompts") / "judges"
"""Where in an experiment; the packaged ones are kept nowhere."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Wording:
    """What stands in for packaged prompts of judges, by file; ``name`` is that of the folder it came from."""

    name: str = ""
    texts: dict[Path, str] = field(default_factory=dict[Path, str])

    @property
    def label(self) -> str:
        """Tells judges apart that are told different things: ``prompts-strict-1a2b3c4d``; empty for the packaged."""
        if not self.texts:
            return ""
        by_name = {_name(path): text for path, text in self.texts.items()}
        return f"prompts-{slug(self.name)}-{sha256_of(by_name)[:8]}"


PACKAGED = Wording()


def judge_prompt_files() -> dict[str, Path]:
    """The packaged files behind all that judges are asked, by the name under which each is overridden."""
    loads = [lambda: pair_family().prompt_hashes(), *(load_metric(name).prompt_hashes for name in METRICS)]
    return dict(sorted((_name(path), path) for load in loads for path in files_loaded(load)))


def read_wording(folder: Path) -> Wording:
    """What the files of ``folder`` say otherwise than the packaged prompts. Raises as ``changed_prompts`` does."""
    return Wording(folder.resolve().name, changed_prompts(folder, judge_prompt_files()))


def keep_wording(experiment: Path, wording: Wording) -> None:
    """Keeps the prompts beside the verdicts that are made with them."""
    for path, text in wording.texts.items():
        kept = experiment / KEPT / file_name(wording.label) / _name(path)
        if not kept.exists():
            write_atomically(kept, text)


def in_all_wordings(experiment: Path, load: Callable[[], frozenset[T]]) -> frozenset[T]:
    """What ``load`` gives of the packaged prompts and of every set that is kept in the experiment, together."""
    found: frozenset[T] = frozenset()
    for texts in ({}, *[_texts(folder) for folder in sorted((experiment / KEPT).glob("*/"))]):
        with overridden(texts):
            found |= load()
    return found


def in_wording(experiment: Path, label: str, load: Callable[[], T]) -> T:
    """What ``load`` gives of the set of prompts that is kept under that label; of the packaged ones without a label."""
    folder = experiment / KEPT / file_name(label)
    with overridden(_texts(folder) if label and folder.is_dir() else {}):
        return load()


def _texts(folder: Path) -> dict[Path, str]:
    found: dict[Path, str] = {}
    for path in sorted(folder.rglob("*.md")):
        owner = path.parent.name
        packaged = (_FAMILIES if (_FAMILIES / owner).is_dir() else _SHARED) / owner / "prompts" / path.name
        found[packaged] = plain_text(path.read_text(encoding="utf-8"))
    return found


def _name(path: Path) -> str:
    """``faithfulness/support.md`` of ``eval/families/faithfulness/prompts/support.md``."""
    return f"{path.parent.parent.name}/{path.name}"
