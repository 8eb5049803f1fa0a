"""A run is watched for its order only if something in it could be in none."""

from __future__ import annotations

import pytest

import nasm

APART = """
.target trn2
.sbuf a f32[128, 64] @ 0:0
.sbuf b f32[128, 64] @ 0:{place}
.sem done, other
@vector
    Memset {tensor}, 1.0  $done++
@gpsimd
    Memset b, 2.0  {wait}
"""


@pytest.mark.parametrize(
    ("wait", "tensor", "place", "watched"),
    [
        ("$done >= 1", "a", 256, False),
        ("$done >= 1", "b", 256, True),
        ("$done >= 1", "a", 252, True),
        ("$done == 1", "a", 256, True),
        ("$done >= 1  $other -= 1", "a", 256, True),
    ],
)
def test_queues_that_share_no_byte_and_only_count_up_are_not_watched(
    wait: str, tensor: str, place: int, watched: bool
) -> None:
    program = nasm.assemble(APART.format(wait=wait, tensor=tensor, place=place))
    assert (nasm.Session(program).machine.ordering is not None) == watched
