"""Queries by rules, made over a world on servers and over the same world in a folder."""

from drretail.env.world import World
from drretail.querygen.generate import generate_sampled
from drretail.querygen.lint import Linter


def test_the_same_queries_are_made_and_nothing_is_found_in_them(served: World, embedded: World) -> None:
    made, here = (generate_sampled(world, 8, per_user=2, seed="42") for world in (served, embedded))
    assert made == here
    assert len(made.queries) >= 8
    assert not [finding.code for each in Linter(served).check_all(made.queries) for finding in each.findings]
