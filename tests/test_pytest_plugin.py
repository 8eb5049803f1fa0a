"""Programs with expectations as tests of pytest."""

from __future__ import annotations

from importlib.metadata import entry_points

import pytest

import nasm  # noqa: F401  (NumPy is loaded once in a process, and pytester forgets what it loads)

pytestmark = pytest.mark.turns(2)

pytest_plugins = ["pytester"]

RIGHT = """\
.target trn1
.sbuf t f32[128, 4]
@vector Memset t, 2.0
.expect t == 2
"""
LOADED = any(e.value == "nasm.apps.pytest_plugin" for e in entry_points(group="pytest11"))
PLUGIN = () if LOADED else ("-p", "nasm.apps.pytest_plugin")


@pytest.fixture
def programs(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.path.joinpath("right.nasm").write_text(RIGHT, encoding="utf-8")
    wrong = RIGHT.replace("== 2", "== 3")
    pytester.path.joinpath("wrong.nasm").write_text(wrong, encoding="utf-8")
    broken = RIGHT.replace("Memset t", "Memset tt")
    pytester.path.joinpath("broken.nasm").write_text(broken, encoding="utf-8")
    silent = RIGHT.partition(".expect")[0]
    pytester.path.joinpath("silent.nasm").write_text(silent, encoding="utf-8")
    return pytester


def test_nothing_is_collected_unless_it_is_asked_for(programs: pytest.Pytester) -> None:
    done = programs.runpytest(*PLUGIN)
    assert done.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_programs_are_tests(programs: pytest.Pytester) -> None:
    done = programs.runpytest(*PLUGIN, "--nasm", "-v")
    done.assert_outcomes(passed=2, failed=2)
    text = done.stdout.str()
    assert "right.nasm::right PASSED" in text
    assert "silent.nasm::silent PASSED" in text
    assert "error[E0208]: nothing is called 'tt'" in text
    assert "512 of 512 elements differ" in text
    assert "Traceback" not in text
    assert "pytest_plugin.py" not in text


def test_the_configuration_says_which_and_on_what(programs: pytest.Pytester) -> None:
    programs.makeini("[pytest]\nnasm_files = r*.nasm\nnasm_targets = trn1 trn2\n")
    done = programs.runpytest(*PLUGIN, "-v")
    done.assert_outcomes(passed=2)
    assert "right.nasm::right[trn2] PASSED" in done.stdout.str()


def test_a_program_is_named_like_any_test(programs: pytest.Pytester) -> None:
    done = programs.runpytest(*PLUGIN, "--nasm", "right.nasm::right")
    done.assert_outcomes(passed=1)


def test_a_program_that_is_named_is_a_test_unasked(programs: pytest.Pytester) -> None:
    programs.runpytest(*PLUGIN, "right.nasm").assert_outcomes(passed=1)
    programs.makeini("[pytest]\nnasm_files = r*.nasm\n")
    done = programs.runpytest(*PLUGIN, "silent.nasm", "broken.nasm::broken", "-v")
    done.assert_outcomes(passed=1, failed=1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (".target trn1\n@vector Memset tt, 2.0\n", "error[E0208]"),
        (".target trn1\n.sem s\n@vector Nop $s >= 1\n", "hazard[E0510]"),
        (".sbuf t f32[4, 4]\n", "error[E0214]"),
        (".macro m(x)\nMemset x, 0\n", "error[E0119]"),
        (".macro m(x)\nMemset x, 0\n.end\n", ""),
        ("", "error[E0214]"),
    ],
)
def test_a_program_that_expects_nothing_is_checked(
    pytester: pytest.Pytester, text: str, said: str
) -> None:
    pytester.path.joinpath("p.nasm").write_text(text, encoding="utf-8")
    done = pytester.runpytest(*PLUGIN, "--nasm")
    done.assert_outcomes(passed=not said, failed=bool(said))
    assert said in done.stdout.str()


TENSIX = """\
.target wormhole
.l1 x u32[4] @ 0x1000 output = zeros
@t0
.cfg GPR0 = 0x1000 // 16
.cfg GPR4 = 42
STOREIND MemHierSel=1, Size=1, OffsetHalfReg=2, DataReg=4
.expect x[0] == 42
"""


def test_programs_of_tensix_are_tests_like_others(pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("stored.nasm").write_text(TENSIX, encoding="utf-8")
    stuck = f"{TENSIX}@t1 ATGETM 3\n@t2 ATGETM 3\n"
    pytester.path.joinpath("stuck.nasm").write_text(stuck, encoding="utf-8")
    done = pytester.runpytest(*PLUGIN, "--nasm", "-v")
    done.assert_outcomes(passed=1, failed=1)
    text = done.stdout.str()
    assert "stored.nasm::stored PASSED" in text
    assert "mutex 3 is held by t1" in text
    assert "Traceback" not in text
