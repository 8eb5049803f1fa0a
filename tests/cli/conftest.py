"""The command in this process, and a program that halves its input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nasm.apps.cli import main
from tests.cli.programs import HALVES, Ran


@pytest.fixture
def ran(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path_factory: Any
) -> Any:
    for name in ("NO_COLOR", "FORCE_COLOR", "NASM_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))

    def run(*arguments: object) -> Ran:
        code = main([str(a) for a in arguments])
        said = capsys.readouterr()
        assert "Traceback" not in said.out + said.err
        return Ran(code, said.out, said.err)

    return run


@pytest.fixture
def halves(tmp_path: Path) -> Path:
    path = tmp_path / "halves.nasm"
    path.write_text(HALVES, encoding="utf-8")
    return path
