import io

from drretail.progress import EVERY_SECONDS, PlainProgress


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
