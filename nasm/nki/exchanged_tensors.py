"""What ranks exchange that they cannot on a device: arguments and results of the kernel itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nasm.base.problems import Problem, Severity
from nasm.isa.effects import RankExchange
from nasm.isa.list_kinds import mentioned
from nasm.nki.tracing import Call, CoreTrace, Made

OF_KERNEL = "E0653"

_WORDS = {"input": "an argument", "inout": "an argument", "output": "a result"}


def of_the_kernel(traces: Sequence[CoreTrace]) -> Iterator[Problem]:
    """A warning for each collective that reads or writes an argument or a result."""
    for trace in traces:
        program = trace.builder.program
        for call in _exchanges(trace.made):
            found = (t for value in call.operands.values() for t in mentioned(value))
            for tensor in dict.fromkeys(t for t in found if t.role in _WORDS):
                span = program.spans[call.span]
                yield Problem(
                    OF_KERNEL,
                    f"{call.operands['operation']} of {tensor.name}, which is "
                    f"{_WORDS[tensor.role]} of the kernel: AWS's compiler refuses it",
                    span and span.within(program.chains[call.chain]),
                    "copy it with nisa.dma_copy, from or into a tensor of the kernel's own",
                    severity=Severity.WARNING,
                )


def _exchanges(calls: Sequence[Made]) -> Iterator[Call]:
    for call in calls:
        if not isinstance(call, Call):
            yield from _exchanges(call.body)
        elif call.row.effect is RankExchange:
            yield call
