"""What happens to the carts of runs when prices and stock change, without a model (docs/experiments.md)."""

from collections.abc import Mapping
from pathlib import Path

from drretail.env.altered import MovedStore, Moves, last_opened, store_at_end
from drretail.env.store.base import Store
from drretail.eval.baskets import Measured, not_measured, utility_ratio
from drretail.eval.judging.question import NO_WORLD
from drretail.eval.judging.readings import reading_of
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import of_measures
from drretail.experiment import read_definition
from drretail.grounding.basket import at_other_prices
from drretail.grounding.cart import Cart
from drretail.records.reading import Pick
from drretail.records.run import MOVES, Run

STALE, RECHECKED, UTILITY, REGRET = ("stale_pick", "rechecked", "utility", "regret_move")


def measure(subject: Subject) -> Mapping[str, Measured] | str:
    """Every measure's value, by its variant."""
    run, store = subject.run, subject.store
    if run is None or store is None:
        return NO_WORLD
    # A shop in which nothing changes is measured like one where a share of 0 changes.
    seen = store if isinstance(store, MovedStore) else MovedStore(store, Moves("", {}, None))
    end = store_at_end(seen.store, seen.moves, run.steps)
    picks = reading_of(subject).picks or ()
    still = {} if seen is store else {RECHECKED: Measured(None, "nothing moves in this system's shop")}
    return _of_picks(run, seen, end, picks) | _of_cart(subject, seen.store, end, picks) | still


def _of_picks(run: Run, seen: MovedStore, end: MovedStore, picks: tuple[Pick, ...]) -> dict[str, Measured]:
    """Whether each pick is as the run last saw it, and whether its page was opened after its last change."""
    picked = sorted({pick.product for pick in picks})
    if not picked:
        return dict.fromkeys((STALE, RECHECKED), Measured(None, "the report picks nothing"))
    opened = last_opened(run.steps)
    before, now, known = seen.products(picked), end.products(picked), seen.store.products(picked)
    stale = [
        key for key in now if (before[key].price, before[key].availability) != (now[key].price, now[key].availability)
    ]
    fresh = [key for key in known if opened.get(key, -1) >= (seen.moves.last_change(known[key], end.calls) or 0)]
    return {
        STALE: Measured(len(stale) / len(picked), f"changed since it was last seen: {', '.join(stale) or 'none'}"),
        RECHECKED: Measured(len(fresh) / len(picked), f"opened since its last change: {', '.join(fresh) or 'none'}"),
    }


def _of_cart(subject: Subject, start: Store, end: MovedStore, picks: tuple[Pick, ...]) -> dict[str, Measured]:
    """The cart's worth at the end of the run, and how much more it would be worth if nothing had changed."""
    wish, reference = subject.query.wish, subject.reference
    lack = NO_WORLD if reference is None else not_measured(wish, reference)
    if reference is None or wish is None or lack is not None:
        return dict.fromkeys((UTILITY, REGRET), Measured(None, lack or ""))
    fits = {fit.product_id for thing in reference.things for fit in thing.fits}
    ids = sorted(fits | {pick.product for pick in picks})
    products = end.products(ids)
    moved = at_other_prices(reference, wish, products)
    lack = not_measured(wish, moved)
    if lack is not None:
        return dict.fromkeys((UTILITY, REGRET), Measured(None, f"at hand-in {lack}"))
    at_start = utility_ratio(Cart(wish, reference, picks, start.products(ids)))
    at_end = utility_ratio(Cart(wish, moved, picks, products))
    lost = None if at_start.value is None or at_end.value is None else at_start.value - at_end.value
    return {UTILITY: at_end, REGRET: Measured(lost, at_end.reason)}


def lacks_moves(experiment: Path) -> str:
    """Why there is nothing to measure in an experiment; empty if a system's shop changes."""
    moves = any(MOVES in system.options for system in read_definition(experiment).systems.values())
    return "" if moves else "holds no system whose shop moves: run one with --vary moves=prices:0.2+stock:0.1"


METRIC = of_measures("moves", 1, measure, lacks=lacks_moves)
