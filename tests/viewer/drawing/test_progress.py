import io
import time

import pytest

from drretail.viewer.drawing.progress import EVERY_SECONDS, PlainProgress


def test_in_a_pipe_long_work_says_now_and_then_how_far_it_is() -> None:
    now, stream = [0.0], io.StringIO()
    with PlainProgress(stream, clock=lambda: now[0]).track("judging", 40) as bar:
        for _ in range(40):
            now[0] += EVERY_SECONDS / 8
            bar.advance()
    assert stream.getvalue().splitlines() == [
        "judging …",
        "judging: 8 of 40",
        "judging: 16 of 40",
        "judging: 24 of 40",
        "judging: 32 of 40",
        "judging: 40 of 40",
        "judging: done",
    ]


def test_in_a_pipe_one_long_step_is_no_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drretail.viewer.drawing.progress.EVERY_SECONDS", 0.02)
    stream = io.StringIO()
    with PlainProgress(stream).busy("reading"):
        time.sleep(0.1)
    assert stream.getvalue().count("reading … 0 s") >= 2
    with PlainProgress(stream).busy("writing", 9) as bar:
        bar.advance()
        time.sleep(0.1)
    assert "writing: 1 of 9 … 0 s" in stream.getvalue()
