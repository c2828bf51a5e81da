"""Methods whose results an object remembers, so that what many ask for is made once."""

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

S = TypeVar("S")
P = ParamSpec("P")
R = TypeVar("R")


def remembered(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """The method, with results remembered by its arguments, which are hashable and always given in one form."""
    return remembered_by(lambda *args, **kwargs: (args, *kwargs.items()))(method)


def remembered_by(
    key: Callable[..., Hashable | None],
) -> Callable[[Callable[Concatenate[S, P], R]], Callable[Concatenate[S, P], R]]:
    """Makes a method's results remembered by a key of its arguments; what has the key None is made each time.

    They are kept in the object's ``__dict__``, as those of ``cached_property`` are.
    """

    def decorated(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
        name = f"results of {method.__name__}"

        @wraps(method)
        def result(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
            of_arguments = key(*args, **kwargs)
            if of_arguments is None:
                return method(self, *args, **kwargs)
            results: dict[Hashable, R] = vars(self).setdefault(name, {})
            if of_arguments not in results:
                results[of_arguments] = method(self, *args, **kwargs)
            return results[of_arguments]

        return result

    return decorated
