"""Clusters of queries: who asked what, and the variance of estimates over users."""

import numpy as np
import pytest

from drretail.stats.clusters import Clusters, cluster_variance, draws, freedom, numbered
from tests.build import query


def test_queries_of_one_user_are_one_cluster_and_queries_without_a_user_are_each_their_own() -> None:
    clusters = Clusters.of([query("a", user_id="ANNA"), query("b"), query("c", user_id="ANNA"), query("d")])
    assert clusters.groups(["c", "d", "a", "b"]) == (0, 1, 0, 2)
    assert [clusters.users(ids) for ids in (["a", "c"], ["b", "c"], ["b", "d"], [])] == [1, 2, None, None]


@pytest.mark.parametrize("seed", range(20))
def test_variance_and_degrees_of_freedom_are_cr2_and_satterthwaite_as_matrices_give_them(seed: int) -> None:
    """Bell and McCaffrey (2002): residuals of each cluster times (I − H)^(−1/2), for a regression on a constant."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, rng.integers(3, 9))
    groups = numbered(np.repeat(np.arange(len(sizes)), sizes).tolist())
    n = len(groups)
    values = rng.standard_normal(n)
    residuals = values - values.mean()
    hat = np.full((n, n), 1 / n)
    variance, columns = 0.0, []
    for cluster in range(len(sizes)):
        members = [at for at in range(n) if groups[at] == cluster]
        roots, vectors = np.linalg.eigh(np.eye(len(members)) - hat[np.ix_(members, members)])
        adjusted = vectors @ np.diag(roots**-0.5) @ vectors.T
        weights = np.ones(len(members)) / n
        variance += (weights @ adjusted @ residuals[members]) ** 2
        columns.append((np.eye(n) - hat)[members].T @ adjusted @ weights)
    gram = np.array(columns) @ np.array(columns).T
    assert cluster_variance((residuals / n).tolist(), groups) == pytest.approx(variance, rel=1e-9)
    assert freedom(groups) == pytest.approx(np.trace(gram) ** 2 / (gram**2).sum(), rel=1e-9)


def test_clusters_are_drawn_whole_and_as_many_as_there_are() -> None:
    groups = (0, 1, 0, 2, 2, 2)
    drawn = np.concatenate(list(draws(groups, "42", 500)))
    assert drawn.shape == (500, 6)
    assert (drawn[:, 0] == drawn[:, 2]).all()
    assert (drawn[:, 3] == drawn[:, 5]).all()
    assert (drawn[:, [0, 1, 3]].sum(axis=1) == 3).all()
    assert drawn[:, 0].var() == pytest.approx(2 / 3, abs=0.15)  # binomial: three draws with chance 1/3
    assert (drawn == np.concatenate(list(draws(groups, "42", 500)))).all()
