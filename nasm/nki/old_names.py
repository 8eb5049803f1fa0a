"""What NKI 0.1 had and NKI has no more: refused where it is used, with the way on."""

from __future__ import annotations

from typing import Any, NoReturn

from nasm.nki.errors import NOT_NKI, refuse

GUIDE = "AWS's NKI Beta 2 migration guide says how each is written now"

GONE = {
    "arange": "index with slices and nl.ds(start, size)",
    "mgrid": "index with slices and nl.ds(start, size)",
    "par_dim": "the first axis on chip counts partitions; a list of tiles replaces block axes",
    "loop_reduce": "add in a loop",
    "static_cast": "nl.copy(x, dtype=…), or .view(dtype) for the same bytes",
    "spmd_dim": "launch a kernel as kernel[2](…)",
    "nc": "launch a kernel as kernel[2](…)",
    "all_reduce": "nisa.sendrecv exchanges tiles of two cores, nki.collectives those of ranks",
    "atomic_rmw": "nisa.dma_compute",
    "simulate_kernel": "nki.simulate(kernel)(…)",
    "fp32": "write the number",
}
"""Names of nki.language in 0.1, and what is written instead."""


class RemovedName:
    """A name of NKI 0.1: whatever is done with it is refused."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def _refuse(self) -> NoReturn:
        refuse(
            f"nl.{self.__name__} is of NKI 0.1, which AWS's compiler does not take any more",
            f"{GONE[self.__name__]}; {GUIDE}",
            NOT_NKI,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse it."""
        self._refuse()

    def __getitem__(self, key: Any) -> NoReturn:
        self._refuse()

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse()

    def __repr__(self) -> str:
        return f"nl.{self.__name__}"


def no_mask(function: str, arguments: dict[str, Any]) -> None:
    """Refuse ``mask=``, which 0.1 had everywhere."""
    if "mask" in arguments:
        refuse(
            f"mask= of {function} is of NKI 0.1, which AWS's compiler does not take any more",
            f"slice the tensors to what is wanted; {GUIDE}",
            NOT_NKI,
        )
