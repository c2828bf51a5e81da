"""The judges' prompts as files that a user may override: ``faithfulness/support.md``, ``quality/criteria.toml``.

A judge with other prompts is another judge: it has a name, verdicts and scores of its own. Its prompts are kept in the
experiment, so that its verdicts remain valid when they are read.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from drretail.eval.registry import METRICS, load_metric, pair_metric
from drretail.files import write_atomically
from drretail.llm.prompts.prompt import changed_prompts, file_name_of, files_by_name, overridden, plain_text
from drretail.plugins import ADDONS
from drretail.records.base import file_name, sha256_of
from drretail.records.run import slug

_METRICS = Path(__file__).parent / "metrics"
_SHARED = Path(__file__).parent
"""The folder of prompts that several metrics share."""
KEPT = Path("prompts") / "judges"
"""The folder in an experiment; packaged prompts are not copied."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Wording:
    """A user's prompts for judges, by packaged file; ``name`` is the name of their folder."""

    name: str = ""
    texts: dict[Path, str] = field(default_factory=dict[Path, str])

    @property
    def label(self) -> str:
        """Distinguishes judges by their prompts: ``prompts-strict-1a2b3c4d``; empty for the packaged ones."""
        if not self.texts:
            return ""
        by_name = {file_name_of(path): text for path, text in self.texts.items()}
        return f"prompts-{slug(self.name)}-{sha256_of(by_name)[:8]}"


PACKAGED = Wording()


def judge_prompt_files() -> dict[str, Path]:
    """The packaged prompt files of all judges, by the name under which each can be overridden."""
    pairs = pair_metric()
    loads = [*(partial(pairs.prompt_hashes, rules) for rules in pairs.rules)]
    loads += [load_metric(name).prompt_hashes for name in METRICS]
    return files_by_name(loads)


def read_wording(folder: Path, others: Collection[str] = ()) -> Wording:
    """The prompts in ``folder`` that differ from the packaged ones. Raises as ``changed_prompts`` does."""
    return Wording(folder.resolve().name, changed_prompts(folder, judge_prompt_files(), others=others))


def keep_wording(experiment: Path, wording: Wording) -> None:
    """Keeps the prompts beside the verdicts that they led to."""
    for path, text in wording.texts.items():
        path_kept = experiment / KEPT / file_name(wording.label) / file_name_of(path)
        if not path_kept.exists():
            write_atomically(path_kept, text)


def in_all_wordings(experiment: Path, load: Callable[[], frozenset[T]]) -> frozenset[T]:
    """The union of what ``load`` returns with the packaged prompts and with every set kept in the experiment."""
    union: frozenset[T] = frozenset()
    for texts in ({}, *[_texts(folder) for folder in sorted((experiment / KEPT).glob("*/"))]):
        with overridden(texts):
            union |= load()
    return union


def kept_wording(experiment: Path, label: str) -> Wording:
    """The prompts kept under that label, or the packaged ones."""
    if not label:
        return PACKAGED
    return Wording(label.removeprefix("prompts-").rpartition("-")[0], _texts(experiment / KEPT / file_name(label)))


def _texts(folder: Path) -> dict[Path, str]:
    texts: dict[Path, str] = {}
    roots = (_METRICS, *sorted(ADDONS.glob("*/")))  # the folders that hold metrics' own
    for path in sorted(folder.rglob("*.*")):
        owner = path.parent.name
        folder_of_owner = next((root / owner for root in roots if (root / owner).is_dir()), _SHARED / owner)
        packaged = folder_of_owner / "prompts" / path.name
        texts[packaged] = plain_text(path.read_text(encoding="utf-8"))
    return texts
