"""The verb ``nki``, and kernels where a program is named."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
RMSNORM = ROOT / "programs" / "nki" / "rmsnorm.py"

KERNELS = """\
import nki
import nki.isa as nisa
import nki.language as nl


class Mode:
    fast = 3


@nki.jit
def scaled(x, factor=2.0, dtype=None, mode="plain"):
    print(f"factor {factor!r}, dtype {dtype!r}, mode {mode!r}")
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=float(factor))
    nisa.dma_copy(dst=y, src=tile)
    return y


def checked(rows):
    assert rows == 128, f"{rows} rows, wanted 128"


@nki.jit
def asserts(x):
    checked(x.shape[0])


@nki.jit
def unwritten(x):
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=y, src=tile)
    return y


@nki.jit
def unknown_word(x):
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=tile, valeu=1.0)


def plain(x):
    return x


three = 3
"""


@pytest.fixture
def kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NEURON_PLATFORM_TARGET_OVERRIDE", raising=False)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", sys.modules)
    Path("kernels.py").write_text(KERNELS)
    yield Path("kernels.py")
    sys.modules.pop("kernels", None)


def script(path: Path, text: str) -> Path:
    path.write_text("import nki\nimport numpy as np\nfrom kernels import *\n" + text)
    return path


def process(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "nasm", *arguments]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600)


# -- one kernel


def test_a_kernel_runs_and_its_result_is_written(ran: Any, kernels: Path) -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.save("x.npy", x)
    done = ran("nki", "kernels.py:scaled", "--in", "x=x.npy", "--out", "y=y.npy")
    assert done.code == 0
    assert done.out.startswith("factor 2.0, dtype None, mode 'plain'\nkernels.py:scaled on Neuron")
    assert "PASS" in done.out
    assert (np.load("y.npy") == 2 * x).all()


def test_run_takes_a_kernel_too(ran: Any, kernels: Path) -> None:
    given = ("kernels.py:scaled", "--in", "x=iota[2,3]")
    assert ran("run", *given).out == ran("nki", *given).out


@pytest.mark.parametrize(
    ("word", "seen"),
    [
        ("factor=3", "factor 3, "),
        ("factor=0.5", "factor 0.5, "),
        ("factor=Mode.fast", "factor 3, "),
        ("dtype=nl.bfloat16", "dtype nl.bfloat16, "),
        ("dtype=np.float32", "dtype <class 'numpy.float32'>, "),
        ("mode=quick", "mode 'quick'"),
        ("mode='a word'", "mode 'a word'"),
        ("mode=(1, 'b')", "mode (1, 'b')"),
        ("mode=None", "mode None"),
    ],
)
def test_arguments_are_written_as_in_python(ran: Any, kernels: Path, word: str, seen: str) -> None:
    done = ran("nki", "kernels.py:scaled", "--in", "x=ones[2,3]", "--arg", word)
    assert seen in done.out.splitlines()[0]


def test_values_that_are_made_are_those_of_the_language(ran: Any, kernels: Path) -> None:
    def of(spec: str) -> Any:
        arguments = ("--arg", "factor=1", "--out", "y=y.npy")
        assert ran("nki", "kernels.py:scaled", "--in", f"x={spec}", *arguments).code == 0
        return np.load("y.npy")

    assert of("iota[2,3]").tolist() == [[0, 1, 2], [3, 4, 5]]
    assert of("ones[1,4]:bf16").tolist() == [[0x3F80] * 4]
    assert of("zeros[1,2]:int32").dtype == np.int32
    drawn = np.random.default_rng(7).standard_normal(6).astype(np.float32).reshape(2, 3)
    assert (of("normal[2,3]:seed=7") == drawn).all()
    first = np.random.default_rng(1).random(6).astype(np.float32).reshape(2, 3)
    assert (of("random[2,3]") == first).all()


def test_a_files_elements_may_be_of_a_dtype_that_npy_lacks(ran: Any, kernels: Path) -> None:
    np.save("x.npy", np.array([[0x3F80, 0x4000]], np.uint16))  # 1 and 2 in bfloat16
    done = ran("nki", "kernels.py:scaled", "--in", "x=x.npy:bf16", "--out", "y=y.npy")
    assert done.code == 0
    assert np.load("y.npy").tolist() == [[0x4000, 0x4080]]


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (
            ("kernels.py:scale", "--in", "x=ones[2,3]"),
            "error[E0656]: kernels.py has no kernel 'scale'",
            "hint: did you mean 'scaled'?",
        ),
        (
            ("kernels.py:nothing_like_it",),
            "error[E0656]: kernels.py has no kernel 'nothing_like_it'",
            "hint: write kernels.py:scaled, kernels.py:asserts, kernels.py:unwritten or "
            "kernels.py:unknown_word",
        ),
        (
            ("kernels.py:three",),
            "error[E0656]: three of kernels.py is int, and no kernel",
            "hint: write kernels.py:scaled",
        ),
        (("absent.py:scaled",), "error[E0656]: no file absent.py", ""),
        (
            ("kernels.py:scaled",),
            "error[E0656]: scaled wants x",
            "hint: scaled(x, factor=2.0, dtype=None, mode='plain'): give arrays with --in",
        ),
        (
            ("kernels.py:scaled", "--in", "x=ones[2,3]", "--arg", "facto=2"),
            "error[E0656]: scaled takes no 'facto'",
            "hint: did you mean 'factor'?",
        ),
        (
            ("kernels.py:scaled", "--in", "x=ones[2,3]", "--arg", "dtype=nl.floot32"),
            "error[E0656]: argument dtype: nl has no 'floot32'",
            "hint: did you mean 'float32' or 'tfloat32'?",
        ),
        (
            ("kernels.py:scaled", "--in", "x=ones[2,3]", "--arg", "dtype=open('x')"),
            "error[E0656]: argument dtype: 'open('x')' is no Python literal and no name",
            "hint: such as 2, 0.5, True, (1, 2), nl.float32",
        ),
        (
            ("kernels.py:scaled", "--in", "x=norml[2,3]"),
            "error[E0803]: --in x: no values 'norml'",
            "hint: did you mean 'normal'?",
        ),
        (
            ("kernels.py:scaled", "--in", "x=ones[2,3]:f33"),
            "error[E0803]: --in x: no dtype 'f33'",
            "hint: did you mean 'f32'?",
        ),
        (
            ("kernels.py:scaled", "--in", "x=ones[2,a]"),
            "error[E0803]: --in x: 'a' is no size",
            "hint: such as normal[128,512]:bf16:seed=7",
        ),
        (("kernels.py:scaled", "--in", "x=absent.npy"), "error[E0801]: no file absent.npy", ""),
    ],
)
def test_what_cannot_be_called_is_reported(
    ran: Any, kernels: Path, arguments: tuple[str, ...], message: str, hint: str
) -> None:
    done = ran("nki", *arguments)
    assert done.code == 2
    assert message in done.err
    assert hint in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nki", "x.nasm"), "nki wants kernel.py:name or a script, found 'x.nasm'"),
        (("nki", "kernels.py:scaled", "more"), "'more': arguments of a kernel are --in and --arg"),
        (
            ("nki", "kernels.py", "--in", "x=ones[2,3]"),
            "--in goes with one kernel, and a script may call several: name it, as in "
            "kernels.py:KERNEL",
        ),
        (("run", "x.nasm", "--lnc", "2"), "--lnc goes with a kernel, kernel.py:name"),
        (("profile", "x.nasm", "--arg", "a=1"), "--arg goes with a kernel, kernel.py:name"),
        (("check", "x.nasm", "--in", "a=a.npy"), "--in goes with a kernel, kernel.py:name"),
        (
            ("nki", "kernels.py:scaled", "-D", "N=2"),
            "-D sets a constant of a text: an argument of a kernel is --arg NAME=VALUE",
        ),
        (
            ("nki", "kernels.py:scaled", "--arg", "factor=1", "--arg", "factor=2"),
            "the argument factor is given twice",
        ),
        (("kernels.py",), "'kernels.py' is not a command; to run it: neuron-nasm nki kernels.py"),
    ],
)
def test_options_that_mean_nothing_are_refused(
    ran: Any, kernels: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = ran(*arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_what_a_kernel_raises_is_reported_at_its_line(ran: Any, kernels: Path) -> None:
    done = ran("nki", "kernels.py:asserts", "--in", "x=ones[2,3]")
    assert done.code == 1
    assert done.err == (
        "error[E0655]: AssertionError: 2 rows, wanted 128\n"
        "  --> kernels.py:22:5\n"
        "   |\n"
        '22 |     assert rows == 128, f"{rows} rows, wanted 128"\n'
        "   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "  in asserts, kernels.py:27:5\n"
        "\n1 error; the program was not run\n"
    )


def test_a_word_that_a_call_does_not_take_is_reported_at_its_line(ran: Any, kernels: Path) -> None:
    done = ran("nki", "kernels.py:unknown_word", "--in", "x=ones[2,3]")
    assert done.code == 1
    assert (
        "error[E0655]: TypeError: memset() got an unexpected keyword argument 'valeu'" in done.err
    )
    assert "--> kernels.py:41:5" in done.err


def test_a_kernel_that_reads_what_nothing_wrote_is_reported_and_goes_on(
    ran: Any, kernels: Path
) -> None:
    done = ran("nki", "kernels.py:unwritten", "--in", "x=ones[2,3]", "--out", "y=y.npy")
    assert done.code == 1
    assert "--> kernels.py:34:5" in done.out
    assert Path("y.npy").exists()


def test_a_file_that_does_not_parse_is_reported_at_its_line(ran: Any, kernels: Path) -> None:
    Path("broken.py").write_text("import nki\n  x = 1\n")
    done = ran("nki", "broken.py:k")
    assert done.code == 2
    assert "error[E0656]: IndentationError: unexpected indent\n --> broken.py:2:3" in done.err


def test_a_kernel_in_a_package_may_import_from_beside_it(ran: Any, kernels: Path) -> None:
    Path("their/core").mkdir(parents=True)
    for name in ("their/__init__.py", "their/core/__init__.py"):
        Path(name).touch()
    Path("their/sizes.py").write_text("FACTOR = 5\n")
    Path("their/core/k.py").write_text(
        KERNELS.replace("factor=2.0", "factor=FACTOR").replace(
            "import nki\n", "import nki\nfrom ..sizes import FACTOR\n", 1
        )
    )
    done = ran("nki", "their/core/k.py:scaled", "--in", "x=ones[2,3]")
    assert done.code == 0
    assert done.out.startswith("factor 5, ")


# -- what options do


def test_the_document_is_that_of_a_run(ran: Any, kernels: Path) -> None:
    done = ran("nki", "kernels.py:scaled", "--in", "x=ones[2,3]", "--lnc", "2", "--json")
    document = json.loads(done.out)  # what the kernel prints is beside it
    assert "factor 2.0" in done.err
    assert (document["schema"], document["program"]) == ("neuron-nasm/nki", "kernels.py:scaled")
    assert {engine["core"] for engine in document["engines"]} >= {0, 1}


def test_the_target_is_the_option_or_the_variable(
    ran: Any, kernels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = ("nki", "kernels.py:scaled", "--in", "x=ones[2,3]")
    monkeypatch.setenv("NEURON_PLATFORM_TARGET_OVERRIDE", "trn1")
    assert "on NeuronCore-v2 (Trn1)" in ran(*given).out
    assert "on NeuronCore-v4 (Trn3)" in ran(*given, "--target", "trn3").out


def test_an_emitted_text_runs_the_same(ran: Any, kernels: Path) -> None:
    given = ("--in", "x=normal[2,3]:seed=3", "--arg", "factor=1.5")
    one = ran("nki", "kernels.py:scaled", *given, "--emit", "s.nasm", "--out", "y=a.npy", "--json")
    two = ran("run", "s.nasm", "--out", "y=b.npy", "--json")
    assert (np.load("a.npy") == np.load("b.npy")).all()
    first, second = json.loads(one.out), json.loads(two.out)
    for name in ("trace_hash", "memory_hash", "time"):
        assert first[name] == second[name]
    text = Path("s.nasm").read_text()
    assert ".hbm   x     float32[2, 3]  input = normal(seed=3)" in text
    assert "nisa.dma_copy(dst=y, src=tile)" in text


def test_values_that_no_text_says_are_written_beside_it(ran: Any, kernels: Path) -> None:
    Path("o").mkdir()
    done = ran("nki", "kernels.py:scaled", "--in", "x=ones[2,3]", "--emit", "o/s.nasm")
    assert "wrote o/s_arrays/x.npy" in done.out
    assert ran("run", "o/s.nasm", "--out", "y=y.npy").code == 0
    assert np.load("y.npy").tolist() == [[2.0] * 3] * 2


@pytest.mark.turns(2)
def test_a_text_may_go_to_standard_output(kernels: Path) -> None:
    given = ("nki", "kernels.py:scaled", "--in", "x=iota[2,3]", "--emit", "-")
    done = process(*given)
    assert done.stdout.startswith(".target trn2\n")
    assert "input = iota" in done.stdout
    assert "factor 2.0" in done.stderr
    assert "PASS" in done.stderr


def test_a_kernel_is_profiled_checked_compared_and_stepped(ran: Any, kernels: Path) -> None:
    given = ("kernels.py:scaled", "--in", "x=ones[2,3]")
    assert "kernels.py:scaled on NeuronCore-v3 (Trn2)" in ran("profile", *given).out
    assert "kernels.py:scaled: ok, 4 instructions" in ran("check", *given).out
    printed = ran("print", *given)
    assert printed.out.startswith(".target trn2\n")
    compared = ran("diff", *given, "--vs", "--arg", "factor=4")
    assert compared.code == 0
    assert "y" in compared.out
    stepped = ran("repl", *given, "-ex", "break 15", "-ex", "continue", "-ex", "print x[0, 0:3]")
    assert "breakpoint 1: before @sync pc 0 (DmaCopy, line 15) starts" in stepped.out
    assert "  0  1.0  1.0  1.0\n" in stepped.out


# -- scripts


def test_a_script_that_checks_itself(ran: Any) -> None:
    done = ran("nki", RMSNORM)
    assert done.code == 0
    assert done.out.startswith("largest error: ")
    assert "rmsnorm: " in done.err
    assert " µs on trn2" in done.err
    assert ran("nki", RMSNORM, "-q").err == ""


def test_a_script_has_its_arguments_and_its_exit_code(ran: Any, kernels: Path) -> None:
    path = script(
        Path("s.py"), "import sys\nprint(__name__, sys.argv)\nsys.exit(int(sys.argv[-1]))\n"
    )
    done = ran("nki", path, "--", "--rows", "7")
    assert (done.code, done.out) == (7, "__main__ ['s.py', '--rows', '7']\n")


@pytest.mark.parametrize(
    ("line", "code", "err"),
    [("import sys; sys.exit()", 0, ""), ("import sys; sys.exit('no luck')", 1, "no luck\n")],
)
def test_a_script_leaves_as_in_python(
    ran: Any, kernels: Path, line: str, code: int, err: str
) -> None:
    done = ran("nki", script(Path("s.py"), line))
    assert (done.code, done.err) == (code, err)


def test_a_script_that_raises_is_reported_at_its_line(ran: Any, kernels: Path) -> None:
    done = ran("nki", script(Path("s.py"), "asserts(np.ones((2, 3), np.float32))\n"))
    assert done.code == 1
    assert done.err.startswith(
        "error[E0655]: AssertionError: 2 rows, wanted 128\n  --> kernels.py:22:5\n"
    )
    assert "  in asserts, kernels.py:27:5\n  in <module>, s.py:4:1\n" in done.err


def test_a_script_whose_kernel_is_refused_has_exit_code_2(ran: Any, kernels: Path) -> None:
    done = ran("nki", script(Path("s.py"), "scaled(np.ones((2, 3)))\n"))
    assert done.code == 2
    assert "error[E0654]: argument x is an array of float64" in done.err
    assert "s.py:4:1" in done.err


def test_a_script_whose_kernel_reads_the_unwritten_goes_on_and_fails(
    ran: Any, kernels: Path
) -> None:
    path = script(Path("s.py"), "unwritten(np.ones((2, 3), np.float32))\nprint('went on')\n")
    done = ran("nki", path)
    assert done.code == 1
    assert done.out == "went on\n"
    assert "--> kernels.py:34:5" in done.err


def test_the_document_of_a_script_has_its_kernels(ran: Any, kernels: Path) -> None:
    path = script(
        Path("s.py"), "print('said')\nx = np.ones((2, 3), np.float32)\nscaled(x)\nscaled(x)\n"
    )
    done = ran("nki", path, "--json")
    document = json.loads(done.out)
    assert (document["program"], document["status"]) == ("s.py", "finished")
    assert [kernel["program"] for kernel in document["kernels"]] == ["scaled", "scaled"]
    assert "said" in done.err


OLD = """\
import numpy as np
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl

@nki.jit(platform_target="trn1")
def doubled(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x) * 2)
    return out

x = np.ones((2, 3), np.float32)
print(doubled(x).sum(), flush=True)
timed = nki.benchmark(warmup=1, iters=2, save_neff_name="file.neff")(doubled)
print(timed(x), timed.benchmark_result.nc_latency.get_latency_percentile(50) > 0)
"""


def test_a_script_of_nki_0_1_runs_kernels_and_times_them(ran: Any, kernels: Path) -> None:
    Path("old.py").write_text(OLD)
    done = ran("nki", "old.py")
    assert (done.code, done.out) == (0, "12.0\nNone True\n")
    assert json.loads(Path("file.neff").read_bytes())["summary"]["total_time"] > 0
    assert done.err.count("doubled: 4 instructions in") == done.err.count("on trn1") == 2
    assert ran("nki", "old.py", "--target", "trn3").err.count("on trn3") == 2


@pytest.mark.turns(2)
def test_the_command_itself_runs_a_script(kernels: Path) -> None:
    done = process("nki", str(RMSNORM), "-q")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("largest error: ")


def test_a_kernel_becomes_an_object(ran: Any, kernels: Path) -> None:
    done = ran("asm", "kernels.py:scaled", "--in", "x=iota[128,4]", "--arg", "factor=3.0")
    assert done.code == 0, done.err
    done = ran("run", "scaled.nobj", "--out", "y=y.npy")
    assert done.code == 0, done.err
    assert (np.load("y.npy") == 3.0 * np.arange(512).reshape(128, 4)).all()


def test_a_kernel_is_listed_and_printed(ran: Any, kernels: Path) -> None:
    done = ran("list", "kernels.py:scaled", "--in", "x=iota[128,4]")
    assert done.code == 0, done.err
    assert "TensorScalar" in done.out
    plain = ran("asm", "--desugar", "kernels.py:scaled", "--in", "x=iota[128,4]")
    assert plain.out.startswith(".target trn2")
    assert ran("asm", "x.nasm", "--in", "x=iota[2]").code == 2


@pytest.mark.parametrize("verb", ["run", "profile", "nki"])
def test_parameters_of_a_kernel_are_read_from_a_folder(ran: Any, kernels: Path, verb: str) -> None:
    os.makedirs("given")
    np.save("given/x.npy", np.ones((128, 4), np.float32))
    np.save("given/other.npy", np.ones(3, np.float32))
    out = () if verb == "profile" else ("--out", "y=y.npy")
    done = ran(verb, "kernels.py:scaled", "--in-dir", "given", "--arg", "factor=5.0", *out)
    assert done.code == 0, done.err
    if out:
        assert (np.load("y.npy") == 5.0).all()
    done = ran(verb, "kernels.py:scaled", "--in-dir", "nowhere")
    assert done.code == 2
    assert "no folder nowhere" in done.err


@pytest.mark.parametrize("raised", ["BaseException('mine')", "GeneratorExit('mine')"])
def test_what_a_kernel_raises_is_reported_even_if_it_is_no_exception(
    ran: Any, tmp_path: Path, raised: str
) -> None:
    path = tmp_path / "k.py"
    path.write_text(f"import nki\n\n@nki.jit\ndef f(x):\n    raise {raised}\n", encoding="utf-8")
    done = ran("nki", f"{path}:f", "--in", "x=iota[4,4]", "--json")
    assert (done.code, done.document["exit_code"]) == (1, 1)
    (problem,) = done.document["problems"]
    assert (problem["code"], problem["line"]) == ("E0655", 5)
    assert "mine" in problem["message"]
