"""How far two judges say the same of the same reports."""

from drretail.records.base import Record
from drretail.records.rules import Rules


class Agreement(Record):
    """One variant of a family, judged by two judges under the same rules (paper Appendix E).

    Only reports of systems that research count (no null agents, no oracle, nobody else's profile), and of them those
    that both scored. A statistic that is not defined is None: one report, or values that never change.
    """

    metric: str
    variant: str
    rules: Rules = "default"
    first: str
    """"provider:model", with a hash behind it where parameters tell two judges apart."""
    second: str
    n_reports: int
    n_dropped: int
    """Reports that only one of the two scored."""
    rho_report: float | None = None
    """Spearman's ρ over reports."""
    n_systems: int
    rho_system: float | None = None
    """Spearman's ρ over the systems' means."""
    exact: float | None = None
    """The share of reports with equal values."""
    difference: float | None = None
    """The mean of |first − second|, in the variant's own unit."""
