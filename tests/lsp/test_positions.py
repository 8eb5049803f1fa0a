"""Positions are counted in UTF-16 code units, whatever stands before them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nasm.apps.lsp.positions import Position, TextPositions, unified


def test_a_character_beyond_the_first_plane_counts_twice() -> None:
    places = TextPositions("é\U0001f600x\ny")
    assert places.position(2) == Position(0, 3)
    assert places.offset(0, 3) == 2
    assert places.position(4) == Position(1, 0)


def test_a_position_outside_of_the_text_is_moved_into_it() -> None:
    places = TextPositions("ab\ncd")
    assert (places.offset(0, 9), places.offset(7, 0), places.offset(-1, 3)) == (2, 5, 0)


def test_line_ends_of_every_kind_end_lines_and_nothing_moves() -> None:
    text = "\ufeffa\r\nb\rc\n"
    assert unified(text) == " a \nb\nc\n"


@given(st.text(alphabet="a é\U0001f600\n", max_size=40))
def test_every_offset_comes_back(text: str) -> None:
    places = TextPositions(text)
    for offset in range(len(text) + 1):
        position = places.position(offset)
        assert places.offset(*position) == offset
        before = text[:offset].rpartition("\n")[2]
        assert position.character == len(before.encode("utf-16-le")) // 2
