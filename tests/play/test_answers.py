"""What the editor of the page is answered about a text."""

from __future__ import annotations

from typing import Any

import pytest

from nasm.apps.play.answers import LARGEST, answer
from nasm.base.problems import Refused

TEXT = """\
.target trn2
.sbuf a f32[128, 8]   ; 𝛼
.sbuf b f32[128, 8]
@vector Memset a, 1.0
@scalar Activation b, a, op=exp
"""


def found(what: str, text: str = TEXT, **more: Any) -> dict[str, Any]:
    return answer(what, {"text": text, **more})


def coloured(text: str) -> dict[str, str]:
    """The words of a text and their classes, cut as JavaScript cuts: by UTF-16."""
    units, at, words = text.encode("utf-16-le"), 0, {}
    for length, name in found("check", text)["colours"]:
        words[units[2 * at : 2 * (at + length)].decode("utf-16-le")] = name
        at += length
    assert 2 * at == len(units)
    return words


def test_colours_are_all_of_the_text() -> None:
    words = coloured(TEXT)
    assert words[".target"] == "k"
    assert words["Memset"] == "nf"
    assert words["@vector"] == "nd"
    assert words["; 𝛼"] == "c1"
    assert words["f32"] == "kt"


def test_a_race_is_marked_with_what_orders_it() -> None:
    checked = found("check")
    races = [each for each in checked["problems"] if each["code"] == "E0502"]
    assert [each["range"][0] for each in races] == [4]
    assert races[0]["severity"] == "error"
    (fix,) = checked["fixes"]
    lines = TEXT.split("\n")
    for line, character, text in sorted(fix["insertions"], reverse=True):
        lines[line] = lines[line][:character] + text + lines[line][character:]
    assert not [e for e in found("check", "\n".join(lines))["problems"] if e["code"] == "E0502"]


def test_an_error_has_its_place_after_characters_that_are_two_units() -> None:
    (error,) = found("check", ".target trn2\n@vector Nopp ; 𝛼\n")["problems"]
    assert error["range"] == [1, 8, 1, 12]
    (error,) = found("check", '.target trn2\n.assert 1 == 2, "𝛼𝛼"\n')["problems"][:1]
    assert error["range"][0] == 1


def test_words_continue_what_is_typed() -> None:
    text = ".target trn2\n@vec"
    (word,) = found("complete", text, line=1, character=4)["words"]
    assert (word["text"], word["length"]) == ("@vector", 4)


def test_a_word_is_explained_by_its_page() -> None:
    assert "Memset" in found("explain", line=3, character=9)["html"]
    assert found("explain", line=3, character=19)["html"] is None


def test_a_text_is_put_into_columns() -> None:
    made = found("format", ".target   trn2\n@vector    Nop\n")["text"]
    assert made == found("format", made)["text"]
    broken = ".target trn2\n@vector (\n"
    assert found("format", broken)["text"] == broken


def test_a_text_in_order_gets_moments() -> None:
    made = found("sync")
    assert "after a_ready" in made["text"]
    assert "1 wait" in made["summary"]
    assert not [e for e in found("check", made["text"])["problems"] if e["code"] == "E0502"]


def test_a_text_that_branches_has_no_order() -> None:
    loop = "RegisterMove %r0, 1\nx: CompareBranch %r0, 0, op=greater, target=x\n"
    made = found("sync", f".target trn2\n@vector\n{loop}")
    assert "text" not in made
    assert "error" in made["report"]


@pytest.mark.parametrize(
    ("what", "asked"),
    [
        ("check", {}),
        ("check", {"text": 7}),
        ("check", {"text": "x" * (LARGEST + 1)}),
        ("complete", {"text": ""}),
        ("complete", {"text": "", "line": "0", "character": 0}),
        ("nothing", {"text": ""}),
        ("__class__", {"text": ""}),
    ],
)
def test_what_is_no_question_is_refused(what: str, asked: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        answer(what, asked)


def test_places_outside_of_the_text_are_its_nearer_end() -> None:
    for place in ((-5, -5), (10**9, 10**9)):
        line, character = place
        assert "words" in found("complete", line=line, character=character)
        found("explain", line=line, character=character)


def test_files_of_the_computer_are_not_read() -> None:
    for text in (
        '.include "/etc/hostname.nasm"\n',
        '.target trn2\n.hbm x f32[4] input = "/etc/x.npy"\n',
    ):
        (error, *_) = found("check", text)["problems"]
        assert error["code"] == "E0801"
        assert "root" not in error["message"]


KERNEL = "import nki  # 𝛼\n\n@nki.jit\ndef f(x):\n    return x * 2\n"


def test_a_kernel_is_coloured_and_what_python_cannot_read_is_marked() -> None:
    right = found("check", KERNEL, language="python")
    assert right["problems"] == []
    assert 2 * sum(length for length, _ in right["colours"]) == len(KERNEL.encode("utf-16-le"))
    assert {"k", "c1", "nd", "nf", "m"} <= {name for _, name in right["colours"]}
    (error,) = found("check", KERNEL.replace("x * 2", '"𝛼" * (2'), language="python")["problems"]
    assert error["range"][:2] == [4, 18]
    assert "'(' was never closed" in error["message"]
    for text in ("\0", "(" * 20_000, "x = 1\n  y\n"):
        assert len(found("check", text, language="python")["problems"]) == 1


def test_what_is_asked_about_programs_alone_is_refused_of_python() -> None:
    with pytest.raises(Refused, match="about Python"):
        found("sync", KERNEL, language="python")
