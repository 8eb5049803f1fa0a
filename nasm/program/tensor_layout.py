"""How a declaration arranges the elements of a tensor: a word of the target, and what it stores."""

from __future__ import annotations

from nasm.base import dtypes
from nasm.base.dtypes import DType
from nasm.base.problems import Refused, did_you_mean, listed, quoted
from nasm.isa.target import Target
from nasm.views.arrangement import Arrangement
from nasm.views.tensor import Memory

CODE = "E0246"


def arranged_as(
    target: Target, word: str, dtype: DType | str, memory: Memory, shape: tuple[int, ...]
) -> Arrangement | None:
    """What a word means of elements of a dtype or a stored format; None for no word.

    Raises Refused, also for a shape that cannot be arranged so.
    """
    known = dtypes.find(dtype) if isinstance(dtype, str) else dtype
    stored = known.name if known is not None else str(dtype)
    if not word:
        storing = [a.name for a in target.arrangements if a.stored == stored]
        if known is None and storing:
            said = f"{stored} is a format that is only stored"
            raise Refused("E0205", said, f"write {listed(storing)} behind the shape")
        return None
    alike = [a for a in target.arrangements if a.name == word]
    if not alike:
        words = sorted({a.name for a in target.arrangements})
        hint = did_you_mean(word, words) or (f"there is {listed(words, 'and')}" if words else "")
        raise Refused(CODE, f"no arrangement '{quoted(word)}'", hint or "leave the word out")
    if not memory.numbered:
        said = f"{word} tensors are in memories whose bytes have addresses, and {memory.name}'s "
        raise Refused(CODE, f"{said}have none")
    found = next((a for a in alike if a.stored == stored), None)
    if found is None:
        taken = listed((a.stored for a in alike), "and")
        raise Refused(CODE, f"{word} tensors store no {quoted(stored)}", f"they store {taken}")
    found.size(shape)
    return found
