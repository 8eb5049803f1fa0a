"""Masks of NKI 0.1: the parts of an index space in which a call works."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nasm.nki.errors import refuse
from nasm.nki.names import MemoryRegion
from nasm.nki.neuronxcc.affine import Index, Predicate
from nasm.nki.neuronxcc.conjunctions import lost
from nasm.nki.neuronxcc.resolving import there
from nasm.nki.neuronxcc.tensor import TileTensor
from nasm.nki.neuronxcc.walks import Box, all_of
from nasm.views.value_text import value_text

SBUF, PSUM = MemoryRegion.sbuf, MemoryRegion.psum


def region(
    tensors: Sequence[TileTensor], shape: tuple[int, ...], mask: Predicate | None
) -> Box | None:
    """The part of an index space in which a mask holds and tensors have elements; None if nowhere.

    Refuses what is no box.
    """
    found = regions(tensors, shape, mask)
    if len(found) > 1:
        refuse(
            "a mask that is no box: it relates two axes of a tile to each other",
            "nisa.affine_select chooses by such a condition; loads and stores take such masks",
        )
    return found[0] if found else None


def regions(
    tensors: Sequence[TileTensor], shape: tuple[int, ...], mask: Predicate | None
) -> list[Box]:
    """The boxes in which a mask holds and tensors have elements."""
    least: list[Index] = list(_predicate(mask).least)
    if not least and all(not t.storage.partial and t.mask is None for t in tensors):
        return [all_of(shape)]
    for tensor in tensors:
        for bound in there(tensor):
            least.append(_like(_repeated(bound, tensor), shape))
        if tensor.mask is not None:
            least += [
                _like(_repeated(one.over(tensor.shape), tensor), shape) for one in tensor.mask.least
            ]
    return Predicate(tuple(least)).boxes(shape)


def _repeated(bound: Index, tensor: TileTensor) -> Index:
    """A bound of a tensor, which is the same all along axes of 1 that are repeated."""
    steps = (s if n > 1 else 0 for n, s in zip(tensor.shape, bound.steps, strict=True))
    return Index(bound.const, tensor.shape, tuple(steps))


def _predicate(mask: Any) -> Predicate:
    lost(lambda: refuse("a mask of which 'and' has lost a part", "join masks by &"))
    if mask is None:
        return Predicate(())
    if isinstance(mask, bool):
        return Predicate(() if mask else (Index(-1),))
    if not isinstance(mask, Predicate):
        refuse(
            f"mask= is {value_text(mask)}: wanted comparisons of index expressions, joined by &",
            "nl.arange and nl.mgrid make index expressions; by what a tile holds nl.where chooses",
        )
    return mask


def _like(one: Index, shape: tuple[int, ...]) -> Index:
    """A bound in a space of more axes, new ones after the first."""
    more = len(shape) - len(one.shape)
    if more <= 0:
        return one
    return Index(
        one.const,
        (one.shape[0], *(1,) * more, *one.shape[1:]),
        (one.steps[0], *(0,) * more, *one.steps[1:]),
    )


def narrowed(tensor: TileTensor, box: Box) -> Box:
    """A part of an index space as a part of a tensor that is repeated along it."""
    return tuple(
        (lo, hi) if n > 1 else (0, 1) for n, (lo, hi) in zip(tensor.shape, box, strict=True)
    )
