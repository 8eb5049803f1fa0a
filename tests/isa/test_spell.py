"""A view with single indices is written as the program wrote it."""

from __future__ import annotations

from itertools import product

import pytest

import nasm
from nasm.views.spelling import spell

PROGRAM = ".target trn2\n.sbuf t f32[64, 7, 10]\n.hbm u f32[3, 1, 5]\n"


@pytest.fixture(scope="module")
def session() -> nasm.Session:
    return nasm.Session(PROGRAM)


@pytest.mark.parametrize(
    "text", ["t[:, 2, :]", "t[0:32, 6, 4:10]", "t[:, 3:5, 9]", "t[:, 0, 0:10:3]", "u[2, 0, 1:4]"]
)
def test_a_single_index_is_written_as_one(session: nasm.Session, text: str) -> None:
    assert spell(session.view(text)) == text


def test_what_is_written_gives_the_same_view(session: nasm.Session) -> None:
    for items in product((":", "0:32"), ("2", ":", "1:7:2"), ("0", "9", "3:4", ":")):
        view = session.view(f"t[{', '.join(items)}]")
        assert session.view(spell(view)) == view
    for items in product(("0", "2", "1:3"), ("0", ":"), ("4", "1:4")):
        view = session.view(f"u[{', '.join(items)}]")
        assert session.view(spell(view)) == view


def test_what_slices_of_other_sizes_say_is_written_so(session: nasm.Session) -> None:
    view = session.view("t[:, 2, :].reshape(64, 2, 5)")
    assert spell(view) == "t.reshape(64, 14, 5)[:, 4:6, :]"
    assert session.view(spell(view)) == view


def test_what_no_slice_says_stays_a_pattern(session: nasm.Session) -> None:
    assert spell(session.view("t.ap([[70, 64], [1, 3], [2, 4]])")).startswith("t.ap(")
