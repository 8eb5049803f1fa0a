"""A client, and an adapter in a thread of this process."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from nasm.apps.cli.verbs import dap
from nasm.apps.dap.server import serve
from nasm.apps.repl import help_commands  # noqa: F401  (declares the commands)
from tests.dap.client import Client


@pytest.fixture
def client() -> Iterator[Client]:
    requests, responses = os.pipe(), os.pipe()
    given, sent = os.fdopen(requests[0], "rb"), os.fdopen(responses[1], "wb")
    made = Client(os.fdopen(responses[0], "rb"), os.fdopen(requests[1], "wb"))

    def run() -> None:
        with given, sent:
            serve(lambda words, folder: dap.session(words, True), (given, sent))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    yield made
    made.leave()
    thread.join(60)
    assert not thread.is_alive()


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A product, in a folder of its own."""
    root = Path(__file__).parents[2] / "programs"
    path = tmp_path / "matmul.nasm"
    path.write_text((root / "matmul.nasm").read_text())
    return path
