"""The waits of a program as columns, to be looked up for many instructions at once."""

from __future__ import annotations

from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nasm.program.program import Program, Wait

NO_WAIT = Wait(-1, ">=", 0)


class WaitColumns(NamedTuple):
    """Of each wait the semaphore and the value; -1 and 0 where there is none.

    ``exact`` says which are for just a value; None if none are.
    """

    semaphores: NDArray[np.int64]
    values: NDArray[np.int64]
    exact: NDArray[np.bool_] | None

    @staticmethod
    def of(program: Program) -> WaitColumns:
        """Those of a program, by the numbers of its waits."""
        waits = [wait or NO_WAIT for wait in program.waits]
        semaphores, values = (
            np.fromiter(map(itemgetter(field), waits), np.int64, len(waits)) for field in (0, 2)
        )
        exact = None
        if set(map(itemgetter(1), waits)) != {">="}:
            exact = np.array([wait.op != ">=" for wait in waits])
        return WaitColumns(semaphores, values, exact)
