"""What ``run`` is asked to do: questions, agents and models from flags, or the paper's experiment by one word."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from drretail.cli.ablations import PRESETS
from drretail.errors import UnknownName, UserError
from drretail.viewer.paper.table import SYSTEMS

if TYPE_CHECKING:
    from pathlib import Path

    from drretail.records.query import Query

PAPER = "paper"
PAPER_PROFILE = "paper-like"
DEFAULT_AGENTS = ("react",)


@dataclass(frozen=True, slots=True)
class Asked:
    """Who answers which questions, by which profile of models; ``ablation`` is a preset that takes tools away."""

    queries: "Sequence[Query]"
    agents: list[str]
    profile: str | None
    ablation: str | None


def asked_by(queries: "Path | None", agents: list[str] | None, profile: str | None, preset: str | None) -> Asked:
    """What the flags --queries, --agent, --model-profile and --preset ask for together.

    ``paper`` stands for the paper's six systems (section 5) on the fifty shipped queries with the models of the profile
    ``paper-like``; a flag that is given goes before it. Raises UserError without queries, and for other agents beside
    the preset.
    """
    if preset is not None and preset not in (*PRESETS, PAPER):
        raise UnknownName("preset", preset, (*PRESETS, PAPER))
    if preset != PAPER:
        return Asked(_read(queries), agents or list(DEFAULT_AGENTS), profile, preset)
    if agents:
        raise UserError("--preset paper runs the paper's six systems: leave --agent out, or the preset.")
    return Asked(_shipped() if queries is None else _read(queries), list(SYSTEMS), profile or PAPER_PROFILE, None)


def _read(queries: "Path | None") -> "Sequence[Query]":
    from drretail.querygen.reading import read_queries

    if queries is None:
        raise UserError(
            "There is nothing to answer: name questions with --queries FILE (drretail queries shipped --to FILE writes "
            "the fifty that come with drretail)."
        )
    return read_queries(queries)


def _shipped() -> "Sequence[Query]":
    from drretail.querygen.shipped import shipped_queries

    return shipped_queries()
