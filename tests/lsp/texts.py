"""A text for editors, with places in it that tests name by what stands there."""

from __future__ import annotations

from nasm.apps.lsp.analysis import Analysis, analyse
from nasm.apps.lsp.positions import Position

TEXT = """\
.target trn1
.const N = 4, TILES = 2
.hbm x f32[128, N * TILES] input = random(seed=1)
.hbm y f32[128, N * TILES] output
.for i in 0..TILES
  .sbuf t{i} f32[128, N]
.end
.psum acc f32[128, 512] @ bank 2
.sem in{0}, in1, done
.for i in 0..TILES
  @sync DmaCopy t{i}, x[:, i * N : +N]  $in{i} += 16
  @vector Memset t{i}, 0  $in{i} >= 16  $done++
  @sync DmaCopy y[:, i * N : +N], t{i}  $done >= i + 1
.end
@vector
go: Nop
  RegisterMove %r1, 3
  CompareBranch 0, 1, op=equal, target=go
@scalar
go: Nop
  CompareBranch 0, 1, op=equal, target=go
@sync .drain
"""


def text_at(analysis: Analysis, line: int, start: int, end: int) -> str:
    return analysis.places.line(line)[start:end]


def place(text: str, line: int, word: str, skip: int = 0, inside: int = 0) -> Position:
    """The position of a word on a line (from 1), behind so many others like it."""
    at = -1
    for _ in range(skip + 1):
        at = text.split("\n")[line - 1].index(word, at + 1)
    return Position(line - 1, at + inside)


def whole() -> Analysis:
    made = analyse(TEXT)
    assert made.whole, made.problems
    return made
