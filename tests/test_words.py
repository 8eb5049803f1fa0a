"""Pages and messages are written in the words of the field, and a class has its name to itself.

Which words are refused is the table under "Plain words" in docs/contributing.md.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PACKAGE = ROOT / "nasm"
MOST_ROWS = 60

CLASSES = {"DType": 2, "Queue": 2, "Semaphore": 2}
"""Public classes that share their name, and how many they are: one of each is named by AWS's NKI
or by a builder's user."""


# ---------------------------------------------------------------- the table


def section(page: str) -> str:
    """What the page has under "Plain words"."""
    return page.partition("\n## Plain words\n")[2].partition("\n## ")[0]


@cache
def refused() -> dict[str, str]:
    """Each refused word with what is written instead."""
    rows = re.findall(
        r"^\| ([^|]+) \| ([^|]+) \|$",
        section((DOCS / "contributing.md").read_text(encoding="utf-8")),
        re.MULTILINE,
    )[1:]
    assert 0 < len(rows) <= MOST_ROWS
    return {word.strip(): better for words, better in rows for word in words.split(",")}


@cache
def pattern() -> re.Pattern[str]:
    """Finds any of the words, the longest first."""
    words = sorted(refused(), key=lambda word: -len(word))
    return re.compile(rf"\b(?:{'|'.join(map(as_pattern, words))})\b", re.IGNORECASE)


def as_pattern(word: str) -> str:
    return re.escape(word).replace("\\ ", " ").replace("…", "[^.;:]{1,60}?")


def found(text: str) -> Counter[str]:
    """How often each word of the table is in the text."""
    hits = (hit[0].lower() for hit in pattern().finditer(re.sub(r"\s+", " ", text)))
    return Counter(word if word in refused() else row_of(word) for word in hits)


def row_of(hit: str) -> str:
    """The word with a gap that this is a case of."""
    return next(word for word in refused() if re.fullmatch(as_pattern(word), hit, re.IGNORECASE))


def test_words_are_found_across_lines_in_any_case_and_with_a_gap() -> None:
    assert found("Nobody\nwho is told, and 'told'") == Counter({"told": 2, "nobody": 1})
    assert found("let this warning\nnot count; it is untold") == Counter({"let … not count": 1})


# ---------------------------------------------------------------- pages


def prose(page: Path) -> str:
    """A page without blocks, generated parts, code, targets of links and this very table."""
    text = page.read_text(encoding="utf-8")
    if page.name == "contributing.md":
        text = text.replace(section(text), "")
    for gone in (
        r"<!-- (?:captured|session|generated|table|figure)[^>]*-->.*?<!-- end -->",
        r"^```.*?^```$",
        r"^(?: {4}[^\n]*\n)+",
    ):
        text = re.sub(gone, "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`|\]\([^)]*\)|<!--.*?-->", " ` ", text)


def test_the_pages_have_none_of_these_words() -> None:
    pages = (ROOT / "README.md", *DOCS.glob("*.md"))
    wrong = {page.name: dict(found(prose(page))) for page in pages}
    assert {page: words for page, words in wrong.items() if words} == {}


def test_of_a_page_only_sentences_count(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    made = "<!-- captured: x -->\n```console\nnobody\n```\n<!-- end -->\n"
    page.write_text(f"`stands`\n\n    stood\n\n{made}```text\nlent\n```\n[a](handed.md) told\n")
    assert found(prose(page)) == Counter(told=1)


# ---------------------------------------------------------------- messages


QUOTED = "|".join(
    (
        r'"""(?P<long>(?:\\.|[^\\])*?)"""',
        r'"(?P<double>(?:\\.|[^"\\\n])*)"',
        r"'(?P<single>(?:\\.|[^'\\\n])*)'",
    )
)
TOKEN = re.compile(
    rf'(?P<gone>#[^\n]*|^[ ]*r?"""(?:\\.|[^\\])*?""")|(?<!\w)(?P<kind>[rbf]{{0,2}})(?:{QUOTED})',
    re.MULTILINE | re.DOTALL,
)
"""A comment or a docstring, or else a string: a parser takes ten times as long."""


def strings(module: str) -> Iterator[str]:
    """The sentences in the strings of a module; those that follow one another are one."""
    text, end = "", 0
    for token in TOKEN.finditer(module):
        if token["gone"] is None:
            part = token["long"] or token["double"] or token["single"] or ""
            if module[end : token.start()].strip():
                yield text
                text = ""
            part = part.replace("\\n", " ")
            text += re.sub(r"\{[^}]*\}", "{}", part) if "f" in token["kind"] else part
        end = token.end()
    yield text


def sentences(module: str) -> str:
    """The strings that are more than a name, without what is code in them."""
    every = (text for text in strings(module) if " " in text)
    return " | ".join(re.sub(r"`[^`]*`", " ", text) for text in every)


def test_the_strings_of_a_module_count_and_its_comments_and_docstrings_do_not() -> None:
    module = """'told'\nA = "is "  # told\n    f"told {a['b c']} x"\nB = "told"\n"""
    docstring = '    r"""One told."""\n'
    assert sentences(f"{docstring}{module}{docstring}") == "is told {} x"


def remarks(module: str) -> str:
    """The comments and docstrings of a module, without what is code in them."""
    every = "\n".join(token["gone"] for token in TOKEN.finditer(module) if token["gone"])
    return re.sub(r"\s+# ", " ", re.sub(r"``[^`]*``|`[^`\n]*`", " ", every))


def test_of_a_module_comments_and_docstrings_count_apart() -> None:
    module = 'A = "told"  # lent,\n# `told` and said\n# of it\n"""Nobody\nstood."""\n'
    assert found(remarks(module)) == Counter(("lent", "said of", "nobody", "stood"))


def test_the_modules_have_none_of_these_words() -> None:
    # Every string and comment of 800 modules, read once: two seconds of processor time.
    messages, comments = Counter[str](), Counter[str]()
    for path in sorted(PACKAGE.rglob("*.py")):
        module = path.read_text(encoding="utf-8")
        messages += found(sentences(module))
        comments += found(remarks(module))
    assert (messages, comments) == (Counter(), Counter())


# ---------------------------------------------------------------- names of classes

CLASS = re.compile(r"^class ([A-Z]\w*)", re.MULTILINE)


def test_no_two_public_classes_have_one_name() -> None:
    classes = Counter(
        name
        for path in PACKAGE.rglob("*.py")
        for name in CLASS.findall(path.read_text(encoding="utf-8"))
    )
    assert {name: number for name, number in classes.items() if number > 1} == CLASSES
