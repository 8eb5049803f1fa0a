"""Moments and macros: what a call hands over, and whose moment a name in a macro is."""

from __future__ import annotations

import pytest

import nasm
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.language.assemble import assemble
from nasm.language.printing import text as printed
from nasm.targets import TARGETS

HEAD = """.target trn2
.sbuf x f32[128, 8]
.sbuf y f32[128, 8]
"""


def made(text: str) -> str:
    """The plain program that a text becomes."""
    return printed(assemble(Source("test.nasm", HEAD + text), TARGETS))


def said(text: str) -> list[tuple[str, str]]:
    with pytest.raises(Failure) as caught:
        made(text)
    return [(p.code, p.message) for p in caught.value.problems]


MACROS = """.macro set(dst, ready=[], done=[])
@vector Memset dst, 1.0  after ready  post done
.end
.macro take(ready, done=[])
@scalar Activation y, x, op=relu  after ready  post done
.end
"""


@pytest.mark.parametrize(
    ("calls", "written"),
    [
        ("set(x, done=m)\ntake(m)", "post m|after m"),
        ("set(x, done=m[0, 1])\ntake(m[0, 1])", "post m|after m"),
        ("set(x, done=[m, n[3]])\ntake([m, n[3]])", "post m|after m"),
        ("set(x, [], [])\ntake([])", "|"),
        (".for i in 0..1\nset(x, done=m[i])\n.end\ntake(m[1 - 1])", "post m|after m"),
        ("set(x, done=m)\ntake(m if 1 > 0 else [])", "post m|after m"),
        ("set(x, done=m)\ntake([] if 1 > 0 else m)", "post m|"),
        ("set(x, done=m)\ntake([m if 1 > 2 else [], [m]])", "post m|after m"),
    ],
)
def test_a_call_hands_over_moments_with_indices_lists_of_them_or_none(
    calls: str, written: str
) -> None:
    post, after = written.split("|")
    plain = f"@vector Memset x, 1.0 {post}\n@scalar Activation y, x, op=relu {after}\n"
    assert made(MACROS + calls + "\n") == made(plain)


def test_indices_inside_follow_those_that_were_handed() -> None:
    inside = """.macro each(done)
    .for i in 0..2
    @vector Memset x, i  post done[i]
    .end
    .end
    .macro outer(done)
    each(done[7])
    .end
    outer(m[5])
    """
    after = "@scalar Activation y, x, op=relu  after m[5, 7, 1]\n"
    plain = ".for i in 0..2\n@vector Memset x, i  post m[i]\n.end\n"
    assert made(inside + after) == made(plain + after.replace("[5, 7, 1]", "[1]"))
    assert said(inside + after.replace("1]", "2]"))[0][0] == "E0331"


def test_each_call_has_moments_of_its_own() -> None:
    macro = """.macro pair()
    @vector Memset x, 1.0  post filled
    @scalar Activation y, x, op=relu  after filled
    .end
    """
    plain = """@vector Memset x, 1.0  post {m}
    @scalar Activation y, x, op=relu  after {m}
    """
    wanted = made(plain.format(m="a") + plain.format(m="b"))
    assert made(macro + "pair()\npair()\n") == wanted
    handed = MACROS + ".macro pair()\nset(x, done=filled)\ntake(filled)\n.end\npair()\npair()\n"
    assert made(handed) == wanted
    own = macro.replace("pair()", "pair(done=done)").replace("filled", "done")
    assert made(own + "pair()\npair()\n") == wanted


def test_a_moment_that_a_macro_does_not_post_is_the_files_also_if_it_is_posted_later() -> None:
    macro = ".macro use()\n@scalar Activation y, x, op=relu  after filled\n.end\n"
    fill = "@vector Memset x, 1.0  post filled\n"
    wanted = made(fill + "@scalar Activation y, x, op=relu  after filled\n")
    assert made(macro + fill + "use()\n") == wanted
    assert made(macro + "use()\n" + fill) == wanted
    nested = macro + ".macro outer()\nuse()\n.end\nouter()\n" + fill
    assert made(nested) == wanted
    handed = MACROS + ".macro outer()\ntake(filled)\n.end\nouter()\n" + fill
    assert made(handed) == wanted


def test_an_exported_moment_is_the_calling_ones() -> None:
    macro = ".macro fill()\n@vector Memset x, 1.0  post @export filled\n.end\n"
    use = "@scalar Activation y, x, op=relu  after filled\n"
    wanted = made("@vector Memset x, 1.0  post filled\n" + use)
    assert made(macro + "fill()\n" + use) == wanted
    outer = macro + f".macro outer()\nfill()\n{use}.end\n"
    assert made(outer + "outer()\n") == wanted
    assert said(outer + "outer()\n" + use)[0] == ("E0331", "nothing posts filled")


def test_moments_of_loops_at_run_time_are_handed_as_others() -> None:
    macros = """.macro stage(dst, ready, done)
    @sync DmaCopy dst, X  after ready  post done
    .end
    .hbm X f32[128, 8] input = iota
    .hbm Y f32[16, 128, 8] output
    """
    body = """.loop k in 0..16
    {stage}
    @gpsimd DmaCopy Y[k], x  after in[k]  post out[k]
    .end
    @gpsimd .drain
    .expect Y[15] == X
    """
    macro = macros + body.format(stage="stage(x, out[k - 1], in[k])")
    plain = macros + body.format(stage="@sync DmaCopy x, X  after out[k - 1]  post in[k]")
    assert made(macro).replace("\n\n", "\n") == made(plain).replace("\n\n", "\n")
    assert nasm.run(HEAD + macro).ok


def test_a_misspelt_tensor_is_not_taken_for_a_moment() -> None:
    assert said(MACROS + "set(xx)\n") == [("E0208", "nothing is called 'xx'")]
    assert said(MACROS + "set(xx[0])\n") == [("E0208", "nothing is called 'xx'")]
    (code, message), *_ = said(MACROS + "take([m, x])\n")
    assert (code, message) == ("E0210", "'x' is no moment, as others of this list are")
    assert said(MACROS + "take(m[1.5])\n")[0][0] == "E0210"
    assert said(MACROS + "take(m)\n") == [("E0331", "nothing posts m")]


@pytest.mark.parametrize("default", ["z", "[z]", "z[0]"])
def test_a_default_that_is_the_parameters_own_name_is_no_value(default: str) -> None:
    macro = f".macro m(z={default})\n@vector Memset z, 1.0\n.end\n"
    assert said(macro + "m()\n") == [("E0208", "nothing is called 'z'")]


def test_what_is_no_moment_is_not_taken_for_the_name_of_one() -> None:
    with pytest.raises(Failure) as caught:
        made(MACROS + "set(x, x)\n")
    (problem,) = caught.value.problems
    assert (problem.code, problem.message) == (
        "E0225",
        "'ready' is passed x[128, 8] (float32), and a moment is meant here",
    )
    assert problem.span is not None
    assert problem.span.text == "ready"
    (note,) = problem.notes
    assert note.span is not None
    assert (note.span.line, note.span.text) == (10, "x")


@pytest.mark.parametrize("wrong", ["3", "$s", "@vector", "[1]", '"m"'])
def test_neither_is_anything_else(wrong: str) -> None:
    found = said(f".sem s\n{MACROS}set(x, done={wrong})\n")
    assert [code for code, _ in found] == ["E0225"]
