"""Arguments of a kernel that runs on several ranks: one array for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nasm.base.problems import Refused
from nasm.nki.frameworks import UNFIT, Array, as_array, change, changeable, framework, stored


class ByRank:
    """An array for each rank, which a kernel takes as one: all have the same shape and dtype.

    ``nasm.nki.run(kernel, ByRank([a, b]), ranks=2)`` passes ``a`` to rank 0 and ``b`` to rank 1.
    Any other argument is the same on all ranks. Raises Refused for arrays that differ.
    """

    def __init__(self, parts: Sequence[Any]) -> None:
        self.parts = tuple(parts)
        if not self.parts or not all(framework(part) for part in self.parts):
            raise TypeError("ByRank takes an array for each rank")
        kinds = {(tuple(part.shape), str(part.dtype)) for part in self.parts}
        if len(kinds) > 1:
            said = " and ".join(f"{dtype}{list(shape)}" for shape, dtype in sorted(kinds))
            raise Refused(UNFIT, f"arrays by rank of {said}", "all ranks run one program")

    def __len__(self) -> int:
        return len(self.parts)

    def __getitem__(self, rank: int) -> Any:
        """The array of a rank."""
        return self.parts[rank]

    def __repr__(self) -> str:
        return f"ByRank of {len(self.parts)}"

    def held(self) -> list[Array]:
        """The arrays as tensors hold them; raises Refused."""
        arrays = []
        for part in self.parts:
            array = as_array(part)
            assert array is not None
            arrays.append(stored(array)[1])
        return arrays


def rank_parts(value: Any, ranks: int | None) -> Sequence[Any]:
    """The arrays that an argument has for the ranks: one for all, or one for each."""
    return value.parts if isinstance(value, ByRank) else (value,) * (ranks or 1)


def can_change(value: Any) -> bool:
    """Whether a kernel may write an argument."""
    return all(changeable(part) for part in rank_parts(value, 1))


def change_by_rank(value: Any, made: Array, ranks: int | None) -> None:
    """Give an argument what a kernel has left in it, on each rank; ``made`` has an axis of them."""
    if ranks is None:
        change(value, made)
        return
    for part, one in zip(rank_parts(value, ranks), made, strict=True):
        change(part, one)


def each_rank(ranks: int | None, give: Callable[[Callable[[Array], Array]], Any]) -> Any:
    """What a caller gets: of several ranks a list, of each what ``give`` makes of its arrays."""
    if ranks is None:
        return give(lambda array: array)
    return [give(lambda array, rank=rank: array[rank]) for rank in range(ranks)]  # type: ignore[misc]
