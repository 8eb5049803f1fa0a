"""Why ranks could not continue, as a problem with a place for each of them."""

from __future__ import annotations

from nasm.base.problems import Note, Problem
from nasm.program.program import Program
from nasm.ranks.misfits import Misfit


def problem_of(program: Program, misfit: Misfit) -> Problem:
    """A problem at the place of the first rank, with the places of the others."""
    (first, _), *others = misfit.places
    notes = tuple(Note(text, program.span(one.queue, one.pc)) for one, text in others)
    span = program.span(first.queue, first.pc)
    return Problem(misfit.code, misfit.text, span, misfit.hint, notes=notes)
