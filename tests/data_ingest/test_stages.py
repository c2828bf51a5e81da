"""Jobs side by side: what they tell is heard one at a time, and the first error ends the others."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from drretail.data_ingest.stages import Tell, do_all
from drretail.errors import UserError


def test_jobs_are_done_and_what_they_tell_is_heard() -> None:
    events = list[tuple[int, int]]()
    with ThreadPoolExecutor(2) as threads:
        do_all(threads, [lambda tell: tell(4, 1)] * 3, lambda read, rows: events.append((read, rows)), lambda: None)
    assert events == [(4, 1)] * 3


def test_the_first_error_is_raised_and_ends_the_others_at_their_next_chunk() -> None:
    stopped = list[bool]()

    def fails(tell: Tell) -> None:
        raise UserError("no")

    def goes_on(tell: Tell) -> None:
        while True:
            tell(1, 1)

    with ThreadPoolExecutor(2) as threads, pytest.raises(UserError, match="no"):
        do_all(threads, [goes_on, fails, goes_on], lambda *_: None, lambda: stopped.append(True))
    assert stopped
