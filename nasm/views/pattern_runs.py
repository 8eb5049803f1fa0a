"""Cutting a move into runs that one access pattern each can walk."""

from __future__ import annotations

from collections.abc import Sequence

from nasm.views.view import View


def pieces(views: Sequence[View], begin: int, end: int) -> list[tuple[View, ...]]:
    """Elements [begin, end) of all views in row-major order, in as few pieces as they allow."""
    found = []
    while begin < end:
        stop = end
        while True:
            shorter = min(_reach(view, begin, stop) for view in views)
            if shorter == stop:
                break
            stop = shorter
        found.append(tuple(_run(view, begin, stop) for view in views))
        begin = stop
    return found


def rows(dst: View, src: View, axes: Sequence[int], begin: int, end: int) -> tuple[View, View]:
    """Elements [begin, end) of dst, which are whole rows, and what becomes them if transposed."""
    inner = dst.size // dst.shape[0]
    first, last = begin // inner, end // inner
    return dst.rows(0, first, last), src.rows(axes[0], first, last)


def run_length(view: View) -> int:
    """Elements that lie next to each other before the pattern jumps."""
    dims = view.dims
    return dims[-1][1] if dims and dims[-1][0] == 1 else 1


def _lead(view: View) -> int:
    """The first axis with more than one element: those before it need no walking."""
    return next((a for a, n in enumerate(view.shape) if n > 1), len(view.shape) - 1)


def _reach(view: View, begin: int, end: int) -> int:
    """How far from ``begin`` one access pattern can walk the view."""
    axis = _lead(view)
    inner = view.size // view.shape[axis]
    if begin % inner == 0 and end - begin >= inner:
        return begin + (end - begin) // inner * inner
    row = begin // inner
    stop = min(end, (row + 1) * inner) - row * inner
    return row * inner + _reach(view.rows(axis, row, row + 1), begin % inner, stop)


def _run(view: View, begin: int, end: int) -> View:
    """Elements [begin, end) of a view, which one pattern can walk."""
    if begin == 0 and end == view.size:
        return view
    axis = _lead(view)
    inner = view.size // view.shape[axis]
    if begin % inner == 0 and end % inner == 0:
        return view.rows(axis, begin // inner, end // inner)
    row = begin // inner
    return _run(view.rows(axis, row, row + 1), begin - row * inner, end - row * inner)
