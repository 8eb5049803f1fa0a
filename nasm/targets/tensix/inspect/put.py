"""What is checked and written when parts of a coprocessor are set by hand.

Who sets something first lets happen what is due: it is not to overwrite what was set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nasm.base.problems import Refused
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.state import Bools

Values = NDArray[Any]
Put = Callable[[Tensix, Values, Bools], None]


def within(what: str, values: Values, which: Bools, most: Any, least: int = 0) -> None:
    """Refuse numbers beyond what there are bits for; ``most`` may be one for each element."""
    limits = np.broadcast_to(most, values.shape)[which]
    chosen = values[which].astype(np.int64)
    wrong = (chosen < least) | (chosen > limits)
    if wrong.any():
        found, limit = int(chosen[wrong][0]), int(limits[wrong][0])
        raise Refused("E0301", f"{what} takes {least} to {limit}, found {found}")


def into(array: Callable[[Tensix], Values], what: str = "", most: Any = None) -> Put:
    """What puts numbers into an array as they are, if none is more than ``most``."""

    def put(core: Tensix, values: Values, which: Bools) -> None:
        if most is not None:
            within(what, values, which, most)
        core.settle()
        array(core)[which] = values[which]

    return put
