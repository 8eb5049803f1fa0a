"""Of a table in one test every case runs, and those that fail are named; what takes turns."""

from __future__ import annotations

from typing import Any

import pytest

from tests import parts
from tests.tables import each


def test_every_case_that_fails_is_named_and_the_others_run(tmp_path: object) -> None:
    seen = []

    @each(("number", "word"), [(1, "a"), pytest.param(2, "b", id="two"), (3, "c"), (4, "d")])
    def check(number: int, word: str, tmp_path: object) -> None:
        seen.append((number, word, tmp_path))
        if number == 3:
            pytest.skip("not this one")
        assert number % 2

    with pytest.raises(BaseExceptionGroup, match="2 of 4 cases fail: two, 4-d") as caught:
        check(tmp_path=tmp_path)
    assert [len(error.__notes__) for error in caught.value.exceptions] == [1, 1]
    assert seen == [(n, w, tmp_path) for n, w in zip((1, 2, 3, 4), "abcd", strict=True)]


@each("number", range(3), ids=["none", "one", "two"])
def test_a_table_may_have_fixtures_and_names(number: int, tmp_path: object) -> None:
    assert number < 3
    assert tmp_path


def test_what_is_no_failure_ends_the_test() -> None:
    @each("number", [1, 2])
    def check(number: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check()


def test_what_takes_turns_runs_on_one_of_some_days(monkeypatch: pytest.MonkeyPatch) -> None:
    class Item:
        def __init__(self, file: str, name: int, days: int = 0) -> None:
            self.nodeid, self.name = f"{file}::test[{name}]", name
            self.mark = pytest.mark.turns(days).mark if days else None

        def get_closest_marker(self, name: str) -> pytest.Mark | None:
            return self.mark if name == "turns" else None

    items: Any = [Item("a", 0), *(Item("a", n, 3) for n in range(1, 8)), Item("b", 8, 3)]
    ran = []
    for day in ("30", "31", "32"):
        monkeypatch.setenv(parts.SEED, day)
        kept, left = parts.in_turns(items)
        assert sorted([*kept, *left], key=items.index) == items
        ran.append({item.name for item in kept} - {8})
    assert sorted(ran, key=sorted) == [{0, 1, 4, 7}, {0, 2, 5}, {0, 3, 6}]
