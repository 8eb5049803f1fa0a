"""Tensors whose elements do not stand one after the other: of the drum, from the last to the first.

``nib`` stores numbers 0 to 15 in half a byte each, the first of a pair in the low half.
"""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from nasm.base.problems import Failure, Problem
from nasm.base.source import Source
from nasm.base.source_files import ObjectFile
from nasm.debugger.session import Session
from nasm.language.assemble import assemble
from nasm.language.objects import load
from nasm.language.objects.writing import written
from nasm.language.printing import text as printed
from nasm.program.program import Program
from tests.toy.rack import Rack
from tests.toy.target import TARGETS


def assembled(text: str) -> Program:
    return assemble(Source("toy.nasm", f".target toy\n{text}\n"), TARGETS)


def session(text: str, **inputs: object) -> Session:
    source = Source("toy.nasm", f".target toy\n{text}\n")
    return Session.load(source, targets=TARGETS, inputs=inputs)


def drum(made: Session, address: int, count: int) -> list[int]:
    rack = made.machine.holds[0]
    assert isinstance(rack, Rack)
    return rack.drum.read(address, count).tolist()


def wrong(text: str) -> Problem:
    with pytest.raises(Failure) as raised:
        session(text)
    (problem,) = raised.value.problems
    return problem


def test_a_place_in_a_linear_memory_is_a_byte() -> None:
    tensor = assembled(".drum x i32[2] @ 0x10").tensors["x"]
    assert (tensor.offset, tensor.bytes, tensor.fixed) == (16, 8, True)


def test_initial_values_are_stored_as_they_are_arranged() -> None:
    made = session(
        ".drum x i32[2, 2] backward @ 0x10 = iota\n.drum y nib[4] backward = [1, 2, 3, 9]"
    )
    assert drum(made, 0x10, 16) == [3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    assert drum(made, made.program.tensors["y"].offset or 0, 2) == [9 | 3 << 4, 2 | 1 << 4]
    assert made.read("x").tolist() == [[0, 1], [2, 3]]
    assert made.read("y").tolist() == [1.0, 2.0, 3.0, 9.0]
    assert made.read("y").dtype == np.float32
    assert made.read("x[1]").tolist() == [2, 3]


def test_inputs_and_outputs_are_arrays_in_order() -> None:
    text = ".drum x nib[2, 2] backward @ 0 input\n.drum y i32[2] backward @ 8 output\n"
    poked = "\n".join(f"@alpha Poke {8 + n}, {v}" for n, v in enumerate((7, 0, 0, 0, 1, 1, 0, 0)))
    made = session(text + poked, x=np.array([[1, 2], [3, 4]], np.float32))
    assert drum(made, 0, 2) == [4 | 3 << 4, 2 | 1 << 4]
    assert made.run().ok
    assert made.read("y").tolist() == [257, 7]


def test_elements_are_initialised_once_all_their_bytes_are() -> None:
    text = ".drum y i32[2] backward @ 8 output\n"
    made = session(text + "\n".join(f"@alpha Poke {8 + n}, 1" for n in range(4)))
    (missing,) = made.run().warnings + made.run().hazards
    assert missing.message == "nothing wrote 1 of 2 elements of output y: y[0]"


def test_some_elements_are_set_by_hand() -> None:
    made = session(".drum y nib[4] backward @ 4\n@alpha Wait")
    altered = made.set("y[1]", "5")
    assert drum_known(made) == [True, True, False, False]  # both are in one byte
    assert sum(change.count for change in altered.memory) == 2  # y[0] is initialised, too
    made.set("y[2:4]", "[6, 7]")
    assert drum_known(made) == [True] * 4
    assert made.read("y[1:4]").tolist() == [5.0, 6.0, 7.0]
    made.set("y", "[1, 2, 3, 4]")
    assert drum(made, 4, 2) == [4 | 3 << 4, 2 | 1 << 4]


def drum_known(made: Session) -> list[bool]:
    from nasm.machine import tensor_io
    from nasm.views.view import View

    tensor = made.program.tensors["y"]
    return tensor_io.known(made.machine.addresses, View.whole(tensor)).tolist()


def test_going_back_leads_to_the_bytes_that_were_there() -> None:
    made = session(".drum y i32[2] backward @ 8 = iota\n@alpha Poke 8, 5\n@alpha Wait")
    made.run()
    assert made.read("y").tolist() == [0, 5]
    made.restart()
    assert made.read("y").tolist() == [0, 1]


def test_a_printed_program_and_an_object_file_have_the_same_tensors() -> None:
    text = ".target toy\n.drum x nib[2, 2] backward @ 0x10 input = zeros\n.drum y i32[2] backward\n"
    source = Source("toy.nasm", text)
    program = assemble(source, TARGETS)
    again = assemble(Source("printed", printed(program)), TARGETS)
    assert ".drum  x  nib[2, 2]  backward @ 0x10 input = zeros\n" in printed(program)
    made = load(ObjectFile("toy.nobj", written(program, source)), TARGETS).program
    for other in (again, made, pickle.loads(pickle.dumps(program))):
        kinds = [(t.arrangement and t.arrangement.name, t.stored) for t in other.tensors.values()]
        assert kinds == [("backward", "nib"), ("backward", "int32")]
        assert [t.offset for t in other.tensors.values()] == [
            t.offset for t in program.tensors.values()
        ]


def test_what_is_printed_of_it_is_its_elements() -> None:
    made = session(".drum x i32[2, 2] backward = iota\n.expect x[1, 0] == 2\n@alpha Wait")
    assert made.run().ok


@pytest.mark.parametrize(
    ("text", "code", "said", "at"),
    [
        (".drum x i32[2] bakward @ 4", "E0246", "no arrangement 'bakward'", "bakward"),
        (".drum x i32[2] bakward", "E0216", "no role 'bakward'", "bakward"),
        (".ram x i32[2] backward", "E0246",
         "backward tensors are in memories whose bytes have addresses, and ram's have none",
         "backward"),
        (".drum x bf16[2] backward", "E0246", "backward tensors store no bfloat16", "backward"),
        (".drum x nib[2]", "E0205", "nib is a format that is only stored", "nib"),
        (".drum x i32[3] backward", "E0246", "pairs of elements, and there are 3", "backward"),
        (".drum x i32[2] input @ 4", "E0246", "no arrangement 'input'", "input"),
        (".bank x f32[4, 2] @ 8", "E0310",
         "a place in bank names a partition and a byte, found '8' alone", "8"),
        (".bank x f32[4, 2] @ bank1", "E0310",
         "a place in bank names a partition and a byte, found 'bank1' alone", "bank1"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_where_it_is(text: str, code: str, said: str, at: str) -> None:
    problem = wrong(text)
    assert (problem.code, problem.message) == (code, said)
    assert problem.span is not None
    assert problem.span.text == at


def test_a_place_without_its_partition_is_reported_how_to_be_written() -> None:
    assert wrong(".bank x f32[4, 2] @ 8").hint == "write '@ 0:8'"
    hint = "a place is written '@ partition:byte' or '@ bank number'"
    assert wrong(".bank x f32[4, 2] @ bank1").hint == hint


def test_no_transfer_walks_such_a_tensor() -> None:
    text = ".drum x i32[2] backward\n.drum y i32[2]\n.dma d\ny <- x\n.end"
    problem = wrong(text)
    assert problem.code == "E0245"
    assert problem.message == "x is backward: its elements are not in order"
