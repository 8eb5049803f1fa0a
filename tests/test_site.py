"""The documentation becomes a site without a warning, and every page is in it."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not find_spec("mkdocs"), reason="mkdocs is not installed: make site"),
]


def test_the_site_has_every_page_and_finds_it(tmp_path: Path) -> None:
    (tmp_path / "page").mkdir()
    (tmp_path / "page" / "index.html").write_text("<h1>the playground</h1>")
    script = [sys.executable, "docs/site.py", "--to", str(tmp_path / "site")]
    script += ["--playground", str(tmp_path / "page")]
    done = subprocess.run(script, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for page in ROOT.glob("docs/**/*.md"):
        made = (tmp_path / "site" / page.relative_to(ROOT)).with_suffix(".html")
        assert made.is_file(), page
    first = (tmp_path / "site" / "index.html").read_text()
    assert "docs/isa/index.html" in first
    for page, link in (
        ("index.html", "playground/index.html"),
        ("docs/isa/index.html", "../../playground/index.html"),
    ):
        assert f'href="{link}"' in (tmp_path / "site" / page).read_text()
    assert "the playground" in (tmp_path / "site" / "playground" / "index.html").read_text()
    found = json.loads((tmp_path / "site" / "search" / "search_index.json").read_text())
    assert any("MultiplyMoving" in entry["title"] for entry in found["docs"])
