"""``.loop k in 0..N buffers=2``: two rounds are written out, each with a tile of its own."""

from __future__ import annotations

import nasm
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.base.source_files import ObjectFile
from nasm.language.formatting import formatted
from nasm.language.objects import load
from nasm.language.objects.writing import written
from nasm.language.printing.text import text as printed
from nasm.targets import TARGETS
from tests.tables import each

HEAD = """.target trn2
.const N = 8
.hbm   X  f32[1024, 64]  input = iota
.hbm   Y  f32[1024, 64]  output
.sbuf  x[4]  f32[128, 64]
.sbuf  y[4]  f32[128, 64]
"""
TAIL = "@scalar .drain\n.expect  Y == X + 1\n"

PLAIN = f"""{HEAD}
.loop k in 0..N buffers=2
    @sync    DmaCopy       x[k % 2], X[k*128 : +128, :]             after made[k - 2]            post load[k]
    @vector  TensorScalar  y[k % 2], x[k % 2], op=add, operand=1    after load[k], store[k - 2]  post made[k]
    @scalar  DmaCopy       Y[k*128 : +128, :], y[k % 2]             after made[k]                post store[k]
.end
{TAIL}"""  # noqa: E501

IDIOM = f"""{HEAD}
.loop k in 0..N step 2
.for i in 0..2
    @sync    DmaCopy       x[i], X[(k + i)*128 : +128, :]    after made[k + i - 2]                post load[k + i]
    @vector  TensorScalar  y[i], x[i], op0=add, operand0=1   after load[k + i], store[k + i - 2]  post made[k + i]
    @scalar  DmaCopy       Y[(k + i)*128 : +128, :], y[i]    after made[k + i]                    post store[k + i]
.end
.end
{TAIL}"""  # noqa: E501


def shown(text: str) -> str:
    return printed(nasm.assemble(text), comments=False)


def problems_of(text: str) -> list[tuple[str, str, str]]:
    try:
        nasm.assemble(text)
    except Failure as failure:
        return [(p.code, "" if p.span is None else p.span.text, p.hint) for p in failure.problems]
    return []


def test_two_rounds_are_written_out() -> None:
    assert shown(PLAIN) == shown(IDIOM)
    assert nasm.run(PLAIN).ok


def test_so_are_four_and_one() -> None:
    for count in (1, 4):
        text = PLAIN.replace("buffers=2", f"buffers={count}").replace("% 2", f"% {count}")
        text = text.replace("- 2]", f"- {count}]")
        assert nasm.run(text).ok
        assert text.count(f"% {count}") == 4


def test_more_tiles_take_less_time() -> None:
    times = []
    for count in (1, 2, 4):
        text = PLAIN.replace("buffers=2", f"buffers={count}").replace("% 2", f"% {count}")
        report = nasm.run(text.replace("- 2]", f"- {count}]")).report
        times.append(report.microseconds)
    assert times[0] > times[1] > times[2]


def test_a_step_is_that_of_each_round() -> None:
    text = ".target trn2\n.sbuf t f32[128, 64]\n@vector Memset t, 0\n"
    text += "@vector .loop k in 4..28 step 4 buffers=3\nMemset t[:, k : +2], k % 3 + 1\n.end\n"
    text += ".expect t[:, 4] == 2\n.expect t[:, 9] == 3\n.expect t[:, 12] == 1\n"
    text += ".expect sum(t[0, :]) == 24\n"
    assert nasm.run(text).ok
    down = text.replace("4..28 step 4", "24..0 step -4")
    assert nasm.run(down).ok


def test_loops_within_each_other_write_out_both() -> None:
    text = """.target trn2
.sbuf t[2] f32[128, 64]
.sbuf u[2] f32[128, 64]
.loop m in 0..4 buffers=2
.loop k in 0..6 buffers=2
@vector  Memset      t[k % 2][:, m*6 + k], 1                        after seen[k - 2]  post made[k]
@gpsimd  TensorCopy  u[k % 2][:, m*6 + k], t[k % 2][:, m*6 + k]     after made[k]      post seen[k]
.end
.end
.expect  sum(u[0][0, 0:24:2]) == 12
.expect  sum(u[1][0, 1:24:2]) == 12
"""
    assert nasm.run(text).ok


def test_a_missing_wait_is_proposed_with_the_number_of_the_round() -> None:
    found = nasm.check(PLAIN.replace("after made[k - 2]", ""))
    (hazard,) = [p for p in found.problems if p.code == "E0502"]
    assert hazard.hint.startswith("let line 10 say 'post x_free[k] @read'")
    assert "let line 9 say 'after x_free[k - 2]'" in hazard.hint


def test_what_is_printed_and_saved_is_the_same_program() -> None:
    text = shown(PLAIN)
    assert shown(text) == text
    data = written(nasm.assemble(PLAIN), Source("loop.nasm", PLAIN))
    loaded = load(ObjectFile("loop.nobj", data), TARGETS).program
    assert printed(loaded, comments=False) == text
    assert formatted(Source("loop.nasm", PLAIN)) == formatted(
        Source("again.nasm", formatted(Source("loop.nasm", PLAIN)))
    )


def test_the_prompt_takes_it() -> None:
    session = nasm.Session(HEAD)
    session.execute(".loop k in 0..4 buffers=2\n@vector Memset x[k % 2][:, k], 3\n.end")
    assert session.evaluate("x[1][0, 3]").array == 3


@each(
    ("head", "where"),
    [
        ("k in 0..7 buffers=2", "buffers=2"),
        ("k in 0..8 buffers=0", "buffers=0"),
        ("k in 0..8 buffers=65", "buffers=65"),
        ("k in 0..%r1 buffers=2", "buffers=2"),
        ("%auto in 0..8 buffers=2", "buffers=2"),
        ("k in 0..8 copies=2", "copies=2"),
    ],
)
def test_rounds_that_cannot_be_written_out_are_refused(head: str, where: str) -> None:
    text = f".target trn2\n.sbuf t f32[128, 64]\n@vector .loop {head}\nMemset t, 0\n.end\n"
    assert [found[:2] for found in problems_of(text)] == [("E0239", where)]


def test_the_hint_of_an_odd_number_says_where_the_loop_can_end() -> None:
    text = (
        ".target trn2\n.sbuf t f32[128, 64]\n@vector .loop k in 0..7 buffers=2\nMemset t, 0\n.end\n"
    )
    assert problems_of(text)[0][2] == "let the loop end at 6, and write the 1 round left after it"


def test_a_remainder_of_a_variable_is_answered_with_buffers() -> None:
    body = "@sync DmaCopy x[k % 2], X[k*128 : +128, :]"
    (found,) = problems_of(f"{HEAD}.loop k in 0..4\n{body}\n.end\n")
    assert found == ("E0232", "k % 2", "write 2 rounds out: '.loop k in a..b buffers=2'")
    assert not problems_of(f"{HEAD}.loop k in 0..4 buffers=2\n{body}\n.end\n")
    (found,) = problems_of(f"{HEAD}.loop k in 0..4\n@vector Memset x[k], 0\n.end\n")
    assert "buffers=2" in found[2]
