"""Pools of threads that share places: how many jobs run at once, and what a hung one leaves to the others."""

import threading

import pytest

from drretail.tools.workers import Workers


def test_pools_that_share_places_never_run_more_jobs_at_once_than_there_are() -> None:
    running, most, lock = 0, 0, threading.Lock()
    several = threading.Event()

    def job() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
            if running > 2:
                several.set()
        several.wait(0.02)
        with lock:
            running -= 1

    places = threading.Semaphore(2)
    pools = [Workers(4, places) for _ in range(5)]
    jobs = [(pool, pool.submit(job)) for pool in pools for _ in range(4)]
    for pool, each in jobs:
        pool.wait(each, 60)
    assert most <= 2


def test_a_job_that_waits_for_its_place_has_not_begun_and_a_hung_one_leaves_its_place() -> None:
    places, end = threading.Semaphore(1), threading.Event()
    hung, other = Workers(1, places), Workers(1, places)
    begun = threading.Event()
    first = hung.submit(lambda: (begun.set(), end.wait()))
    begun.wait()
    second = other.submit(lambda: "done")
    assert not second.has_begun
    with pytest.raises(TimeoutError):
        hung.wait(first, 0.01)
    assert other.wait(second, 60) == "done"
    end.set()
