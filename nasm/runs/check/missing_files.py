"""Array files that a program names and nobody could read."""

from __future__ import annotations

from collections.abc import Iterator

from nasm.base.array_files import ArrayFile, read_header
from nasm.base.problems import Problem, Refused, Severity
from nasm.language.expectations.judge import golden_file
from nasm.machine.tensor_io import readable
from nasm.program.program import Program

_GIVEN = "a run needs it, unless --in gives the values"


def absent(program: Program) -> Iterator[Problem]:
    """What a run would refuse of files: warnings of initialisers, for a caller may fill tensors."""
    for tensor in program.tensors.values():
        if isinstance(tensor.init, ArrayFile):
            try:
                readable(tensor, tensor.init, program.files)
            except Refused as refused:
                hint = refused.hint or _GIVEN
                yield Problem(
                    refused.code, refused.message, tensor.span, hint, severity=Severity.WARNING
                )
    for expectation in program.expectations:
        named = golden_file(expectation)
        if named is None:
            continue
        try:
            read_header(named[0], lambda shape, dtype: None, program.files)
        except Refused as refused:
            yield refused.at(named[1])
