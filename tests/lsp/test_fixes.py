"""What an editor offers against a race: clauses that can be added."""

from __future__ import annotations

import pytest

from nasm.apps.lsp.analysis import analyse, followed
from nasm.apps.lsp.diagnostics import Fix, fixes

TEXT = """\
.target trn2
.hbm X f32[4, 128, 16] input = iota
.hbm Y f32[4, 128, 16] output
.for r in 0..4
.sbuf t{r} f32[128, 16]
.sbuf u{r} f32[128, 16]
@sync DmaCopy t{r}, X[r]  post load[r]  ; comes in
@vector TensorCopy u{r}, t{r}  after load[r]  post made[r]
@gpsimd DmaCopy Y[r], u{r}  after made[r]  ; goes out
.end
@gpsimd .drain
"""


def offered(text: str) -> list[Fix]:
    analysis = analyse(text)
    return fixes(analysis, followed(analysis))


def applied(text: str, fix: Fix) -> str:
    lines = text.split("\n")
    for at, more in sorted(fix.insertions, reverse=True):
        line = lines[at.line]
        lines[at.line] = line[: at.character] + more + line[at.character :]
    return "\n".join(lines)


def test_nothing_is_offered_where_nothing_is_wrong() -> None:
    assert not followed(analyse(TEXT))
    assert not offered(TEXT)


@pytest.mark.parametrize(
    ("gone", "title"),
    [
        (("after made[r]",), "add 'after made[r]'"),
        (("after load[r]",), "add 'after load[r]'"),
        (("after load[r]", "post load[r]"), "add 'post t_loaded[r]' and 'after t_loaded[r]'"),
    ],
)
def test_a_fix_mends_the_text(gone: tuple[str, ...], title: str) -> None:
    text = TEXT
    for clause in gone:
        text = text.replace(clause, "")
    (fix,) = offered(text)
    assert (fix.code, fix.title) == ("E0502", title)
    assert not followed(analyse(applied(text, fix)))


def test_a_text_that_synchronises_nothing_gets_moments() -> None:
    text = TEXT.replace("post load[r]", "").replace("after load[r]  post made[r]", "")
    text = text.replace("after made[r]", "").replace("@gpsimd .drain\n", "")
    assert "add 'post t_loaded[r]' and 'after t_loaded[r]'" in [fix.title for fix in offered(text)]


def test_a_wait_for_what_the_text_counts_is_a_fix_too() -> None:
    text = TEXT.replace(".for r", ".sem in\n.for r", 1).replace("post load[r]", "$in += 16")
    text = text.replace("after load[r]", "").replace("0..4", "0..1").replace("f32[4", "f32[1")
    (fix,) = offered(text)
    assert fix.title == "add '$in >= 16'"
    assert not followed(analyse(applied(text, fix)))
