"""A mended report declares what it declared before, but for what the problems name."""

from drretail.grounding.report.picks import take_picks
from drretail.offline.shopper.repairing import mended
from drretail.records.reading import Outcome


def test_a_mended_report_refuses_what_it_refused() -> None:
    report = "No feeder is within $10.\n\n```picks\nnone: too_dear\nnearest: P:B0TEST0002 x 1\n```"
    found = take_picks(mended(report, ()))
    assert found.picks == ()
    assert found.outcome == Outcome(decision="none", because=("too_dear",), nearest=("B0TEST0002",))
