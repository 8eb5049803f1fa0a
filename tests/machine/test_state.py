"""What a machine holds, and what it refuses to hold."""

from __future__ import annotations

import os

import pytest

import nasm
from nasm.problems import Failure


def test_tensors_beyond_the_host_memory_are_refused_before_they_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 2**10}  # 4 MiB
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__)
    fits, too_large = (f".target trn1\n.hbm X u8[{n}]\n@sync Nop\n" for n in (2**20, 2**21 + 64))
    assert nasm.run(fits).ok
    with pytest.raises(Failure, match=r"E0808\]: .* GiB to simulate"):
        nasm.run(too_large)
