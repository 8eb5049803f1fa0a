"""What each core holds, made when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from nasm.isa.core_state import Holds


class CoreHolds:
    """What the cores hold, by number; None where the target has them hold nothing.

    That of a core which has done nothing is as at the beginning, and is made when something asks
    for it: ``made`` are those that there are.
    """

    def __init__(self, cores: int, make: Callable[[int], Holds | None]) -> None:
        self._cores, self._make = cores, make
        self.made: dict[int, Holds | None] = {}

    def __len__(self) -> int:
        return self._cores

    def __iter__(self) -> Iterator[Holds | None]:
        return map(self.__getitem__, range(self._cores))

    def __getitem__(self, core: int) -> Holds | None:
        if core not in self.made:
            self.made[core] = self._make(range(self._cores)[core])
        return self.made[core]

    def save(self, cores: Collection[int] | None = None) -> dict[int, Any]:
        """Everything that changes, of some cores or of all."""
        return {
            core: held.save()
            for core, held in self.made.items()
            if held is not None and (cores is None or core in cores)
        }

    def restore(self, saved: dict[int, Any]) -> None:
        """As they were; those made since are made again when they are asked for."""
        for core in [core for core, held in self.made.items() if held is not None]:
            if core not in saved:
                del self.made[core]
        for core, state in saved.items():
            held = self[core]
            assert held is not None
            held.restore(state)
