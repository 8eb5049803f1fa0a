"""What is known of all sizes of a program, as a few lines."""

from __future__ import annotations

from collections.abc import Iterator

from nasm.base.problems import counted
from nasm.runs.check.size_answer import SizesAnswer


def lines(answer: SizesAnswer) -> list[str]:
    """Whether all sizes are in order, and where memory ends; or the smallest that is not."""
    return [*_verdict(answer), *_memory(answer)]


def _verdict(answer: SizesAnswer) -> Iterator[str]:
    name, sizes = answer.range.name, answer.sizes
    steps = f", in steps of {answer.step:,}" if answer.step > 1 else ""
    if answer.failing is not None:
        hazard = any(problem.label == "hazard" for problem in answer.problems)
        what = "refused" if answer.found is None else "not in order" if hazard else "wrong"
        yield f"{what} at {name} = {answer.failing:,}: the smallest such size{steps}"
        return
    many = f"{counted(len(sizes), 'size')} by themselves"
    if answer.proved:
        yield f"in order for {_all(answer)}{steps} ({many})"
        return
    yield f"in order for {_span(answer)}{steps} ({many})"
    at = "" if answer.at is None else f" ({answer.at})"
    yield f"not proved beyond {name} = {sizes[-1]:,}: {answer.reason}{at}"


def _all(answer: SizesAnswer) -> str:
    """The sizes of a proof, which may have no end."""
    name, first, last = answer.range.name, answer.sizes[0], answer.range.last
    if last is None:
        return f"every {name} from {first:,} on"
    return f"every {name} from {first:,} to {last:,}"


def _span(answer: SizesAnswer) -> str:
    """The sizes that were looked at."""
    name, first, last = answer.range.name, answer.sizes[0], answer.sizes[-1]
    return f"{name} = {first:,} to {last:,}" if first < last else f"{name} = {first:,}"


def _memory(answer: SizesAnswer) -> Iterator[str]:
    if answer.ok and answer.too_large is not None and answer.memory is not None:
        size = f"{answer.range.name} = {answer.too_large:,}"
        what = "memory does not suffice" if answer.memory.code == "E0311" else "it is refused"
        yield f"{what} from {size} on: {answer.memory.message}"
