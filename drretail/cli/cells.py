"""How a comparison's figures and names are written into cells."""


def row_name(metric: str, variant: str, *, several: bool) -> str:
    """ "FP", "clarity", "process words": the family is named where the variant alone says little."""
    return f"{metric} {variant}" if several and metric not in ("faithfulness", "quality") else variant


def figure(value: float | None) -> str:
    """ "0.25", "–"."""
    from drretail.eval.compare.wording import number

    return "–" if value is None else number(value)


def share(value: float | None) -> str:
    """ "25%", "–"."""
    return "–" if value is None else f"{value:.0%}"


def interval(low: float | None, high: float | None) -> str:
    """ "[0.10, 0.40]", "–"."""
    return "–" if low is None or high is None else f"[{figure(low)}, {figure(high)}]"


def p_value(value: float | None) -> str:
    """ "0.014", "<.001", "–"."""
    return "–" if value is None else "<.001" if value < 0.001 else f"{value:.3f}"
