"""``%%nasm``: cells of a notebook as programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("IPython")

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

PROGRAM = """\
.target trn1
.const N = 4
.hbm x f32[128, N] input
.hbm y f32[128, N] output
.sbuf t f32[128, N]
.sem a, b, c
@sync DmaCopy t, x  $a += 16
@vector TensorTensor t, t, t, op=add  $a >= 16  $b++
@sync DmaCopy y, t  $b >= 1  $c += 16
@sync EventSemaphore  $c >= 16
"""
X = np.arange(512, dtype=np.float32).reshape(128, 4)


@pytest.fixture
def shell(tmp_path: Path) -> Any:
    InteractiveShell.clear_instance()
    without = Config({"HistoryManager": {"enabled": False}})  # its thread stays to the end
    made = InteractiveShell.instance(config=without, ipython_dir=str(tmp_path))
    made.run_line_magic("load_ext", "nasm.apps.notebook")
    made.user_ns["x"] = X
    yield made
    InteractiveShell.clear_instance()


def ran(shell: Any, line: str, text: str = PROGRAM) -> tuple[Any, str, list[Any]]:
    with capture_output() as captured:
        done = shell.run_cell(f"%%nasm {line}\n{text}")
    return done, captured.stdout + captured.stderr, captured.outputs


def test_arrays_go_in_by_their_names_and_come_out_by_theirs(shell: Any) -> None:
    done, _, outputs = ran(shell, "")
    assert done.success
    assert np.array_equal(shell.user_ns["y"], 2 * X)
    (shown,) = outputs
    assert "vector" in shown.data["text/html"]
    assert "vector" in shown.data["text/plain"]


def test_options_name_variables_constants_and_targets(shell: Any) -> None:
    shell.user_ns["wide"] = np.ones((128, 8), np.float32)
    line = "--in x=wide --out y=doubled --result result -D N=8 --target trn2 --quiet"
    done, said, outputs = ran(shell, line)
    assert (done.success, said, outputs) == (True, "", [])
    assert shell.user_ns["doubled"].shape == (128, 8)
    assert np.all(shell.user_ns["doubled"] == 2)
    assert shell.user_ns["result"].report.target == "trn2"
    assert "y" not in shell.user_ns


@pytest.mark.parametrize(
    ("line", "text", "said"),
    [
        ("", PROGRAM.replace("op=add", "op=addd"), "did you mean 'add'?"),
        ("--in x=nothing", PROGRAM, "the notebook has no variable 'nothing'"),
        ("--out z=w", PROGRAM, "the program has no output 'z'"),
        ("--nonsense", PROGRAM, "%%nasm: unrecognized arguments: --nonsense"),
        ("--in x", PROGRAM, "'x' is not NAME=VARIABLE"),
        ("'", PROGRAM, "%%nasm: No closing quotation"),
        ("", PROGRAM + ".expect y == x\n", "✗ y == x"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_shown_without_a_traceback(
    shell: Any, line: str, text: str, said: str
) -> None:
    done, shown, _ = ran(shell, line, text)
    assert not done.success
    assert said.lower() in shown.lower()
    assert "Traceback" not in shown


def test_an_input_of_another_shape_is_refused_with_a_sentence(shell: Any) -> None:
    shell.user_ns["x"] = np.ones((3, 3), np.float32)
    done, shown, _ = ran(shell, "")
    assert not done.success
    assert "x" in shown
    assert "Traceback" not in shown


SHOWN_ONCE = {
    "a report": f"%%nasm\n{PROGRAM}",
    "what is wrong": f"%%nasm\n{PROGRAM.replace('op=add', 'op=addd')}",
    "what does not hold": f"%%nasm --quiet\n{PROGRAM}.expect y == x",
    "what is printed": f"import nasm\nprint(nasm.Session({PROGRAM!r}, {{'x': x}}))",
    "a table": f"nasm.Session({PROGRAM!r}, {{'x': x}})",
}
"""Cells with one output each, whatever draws it."""


@pytest.mark.thorough
def test_a_notebook_is_executed_without_a_screen_and_shows_everything_once(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    cells = [
        "import numpy as np\n%load_ext nasm.apps.notebook\nx = np.full((128, 4), 3, np.float32)",
        *SHOWN_ONCE.values(),
        "print(float(y.sum()))",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    nbclient.NotebookClient(
        book, timeout=100, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}},
        allow_errors=True,
    ).execute()  # fmt: skip
    shown = dict(zip(SHOWN_ONCE, book.cells[1:-1], strict=True))
    assert {what: len(cell.outputs) for what, cell in shown.items()} == dict.fromkeys(shown, 1)
    assert [cell.outputs[0].output_type for cell in shown.values()] == [
        "display_data", "error", "error", "stream", "execute_result",
    ]  # fmt: skip
    for what in ("a report", "a table"):
        assert shown[what].outputs[0].data["text/html"].startswith("<pre")
    assert book.cells[-1].outputs[0].text == f"{6.0 * 512}\n"


TENSIX = """\
.target wormhole
.l1 a u32[4] @ 0x1000 input
.l1 b u32[4] @ 0x2000 output = zeros
@t0
.cfg GPR0 = 0x1000 // 16
.cfg GPR1 = 0x2000 // 16
LOADIND SizeSel=1, OffsetIndex=4, AutoIncSpec=0, DataRegIndex=4, AddrRegIndex=0
STALLWAIT 0x1, 0x1
STOREIND MemHierSel=1, Size=1, OffsetHalfReg=4, DataReg=4, AddrReg=1
"""


def test_a_cell_of_tensix_takes_and_gives_arrays_and_refuses_in_words(shell: Any) -> None:
    shell.user_ns["a"] = np.array([7, 8, 9, 10], np.uint32)
    done, said, _ = ran(shell, "", TENSIX)
    assert done.success, said
    assert shell.user_ns["b"].tolist() == [7, 0, 0, 0]
    _, said, _ = ran(shell, "", TENSIX + "@t1 ATGETM 3\n@t2 ATGETM 3\n")
    assert "mutex 3 is held by t1" in said
    assert "Traceback" not in said
