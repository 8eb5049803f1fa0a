"""Codes of what a run did to its data: E0524 to E0529."""

from __future__ import annotations

from nasm.codes.row import Code

ROWS = (
    Code(
        "E0524",
        "output elements that nothing wrote",
        "The run has finished, and no instruction and no transfer wrote these elements of an "
        "output; nor had they a value at the start, as an `inout` may have that the caller fills, "
        "or an output with an initialiser. The hardware would return whatever its memory held. "
        "The notes name who writes the others, and what would write these and did not run.",
        ".hbm    D  f32[128, 512]  output\n"
        "@vector Memset   c, 1.0                     $done++\n"
        "@sync   DmaCopy  D[0:64], c[0:64]           $done >= 1    $loaded += 16\n"
        "@sync   EventSemaphore                      $loaded >= 16",
        ".hbm    D  f32[128, 512]  output\n"
        "@vector Memset   c, 1.0                     $done++\n"
        "@sync   DmaCopy  D, c                       $done >= 1    $loaded += 16\n"
        "@sync   EventSemaphore                      $loaded >= 16",
    ),
)
