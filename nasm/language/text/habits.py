"""What other languages write: words and signs that mean something there, and what to write here."""

from __future__ import annotations

import re

from nasm.base import dtypes
from nasm.isa.synonyms import SIGNS
from nasm.language.text.parse_failure import FORMS, ParseFailure
from nasm.language.text.syntax_errors import Mistake

COMMENT = "';' begins a comment"

_CONSTANT = "a constant is declared '.const N = 4'"
_LOOP = f"a loop is written '{FORMS['for']}'"
END = "every block ends with '.end'"
_TENSOR = "a tensor is declared by its memory, dtype and shape: '.memory name dtype[shape]'"
_NO_SECTIONS = "there are no sections: declarations and instructions are in one text"
_ALIGNED = "tensors are placed by the assembler; '@ partition:byte' after a shape gives a place"

_COUNTED_BY = (
    "a line waits with '$s >= 1' after its operands and posts with '$s++', or with moments: "
    "'after name', 'post name'"
)
_MOMENTS = {
    "post": "'post name' goes at the end of the line whose completion it names",
    "after": "'after name' goes at the end of the line that waits for it",
}

ELSEWHERE = {
    **dict.fromkeys(("equ", "equiv", "set", "define", "def", "let", "constant"), _CONSTANT),
    **dict.fromkeys(("repeat", "rept", "rep", "irp", "while", "times", "foreach"), _LOOP),
    **dict.fromkeys(("elseif", "elsif", "elsif", "elif_"), f"write '{FORMS['elif']}'"),
    **dict.fromkeys(("endif", "endfor", "endr", "endm", "endmacro", "endrep", "done"), END),
    **dict.fromkeys(("ifdef", "ifndef"), f"a condition is written '{FORMS['if']}'"),
    **dict.fromkeys(("text", "data", "bss", "rodata", "section", "segment"), _NO_SECTIONS),
    **dict.fromkeys(("global", "globl", "extern"), "a program is one text, and has no symbols"),
    **dict.fromkeys(("shared", "local", "param", "entry_param"), _TENSOR),
    **dict.fromkeys(("reg", "pred"), "registers are not declared: each engine has %r0, %r1, …"),
    **dict.fromkeys(
        ("entry", "func", "visible", "proc", "function"), "lines with a name are a '.macro'"
    ),
    **dict.fromkeys(("wait", "signal"), _COUNTED_BY),
    **_MOMENTS,
    "version": f"the version of the language is '{FORMS['nasm']}'",
    "print": "'neuron-nasm repl' prints what tensors hold; '.expect' compares it",
    "continue": "lines of a round are chosen by '.if'; '.break' leaves a '.loop'",
    **dict.fromkeys(("byte", "word", "long", "quad", "float", "double", "space", "zero"), _TENSOR),
    **dict.fromkeys(("tensor", "buffer", "array", "alloc", "tile"), _TENSOR),
    **dict.fromkeys(("align", "balign", "org"), _ALIGNED),
    **dict.fromkeys(("import", "incbin", "use"), f"a file is included '{FORMS['include']}'"),
    **dict.fromkeys(("semaphore", "flag", "barrier"), f"semaphores are declared '{FORMS['sem']}'"),
    **dict.fromkeys(
        ("check", "verify", "require"), f"what must hold is written '{FORMS['expect']}'"
    ),
}
"""What a directive of other assemblers is here."""

_ENDS = "a queue ends after its last line, without an instruction for it"
_ORDERING = {"before", "until", "inc", "dec", "increment"}
_COUNTS = (">=", "==", ">", "+=", "-=", "=", "++", "--")
_ONE_WAIT = "a line waits once: put an instruction that only waits and updates before it"
_MACRO = f"lines with a name are declared '{FORMS['macro']}', and called 'name(x, y)'"

STATEMENTS = {
    **dict.fromkeys(("return", "ret", "exit", "halt", "hlt", "stop", "quit"), _ENDS),
    **dict.fromkeys(
        ("wait", "signal", "sem", "lock", "notify", "join", "await", "depbar", "syncthreads"),
        _COUNTED_BY,
    ),
    **dict.fromkeys(("sem_wait", "sem_post", "wait_for", "waitfor", "acquire"), _COUNTED_BY),
    **dict.fromkeys(("barrier", "bar", "membar", "fence"), _COUNTED_BY),
    **dict.fromkeys(
        ("int", "float", "double", "var", "let", "auto", "const", "set", "equ"), _CONSTANT
    ),
    **dict.fromkeys(("def", "fn", "func", "function", "proc", "void", "kernel"), _MACRO),
    **dict.fromkeys(("call", "bl", "jal"), "a macro is called by its name: 'name(x, y)'"),
    "while": _LOOP,
    "continue": "lines of a round are chosen by '.if'; '.break' leaves a '.loop'",
    "section": _NO_SECTIONS,
    "segment": _NO_SECTIONS,
    "import": f"a file is included '{FORMS['include']}'",
    "from": f"a file is included '{FORMS['include']}'",
    **_MOMENTS,
    "print": "'neuron-nasm repl' prints what tensors hold; '.expect' compares it",
    "printf": "'neuron-nasm repl' prints what tensors hold; '.expect' compares it",
}
"""What a word with which a line begins in other languages is here."""

MOVING = ("ld", "load", "ldr", "st", "store", "str", "memcpy", "copy", "cp", "cpy", "transfer")
COMPUTING = ("mov", "li", "lea", "cvta", "setp", "inc", "dec", "addi", "subi")
BRANCHING = ("jmp", "jump", "goto", "bra", "br", "b", "j", "je", "jne", "jz", "jnz", "beq", "bne")
"""Mnemonics of other machines that move data, change registers, or branch."""

_NO_VALUE = "there is no such value: what is not given is left out"

NAMES = {
    **dict.fromkeys(("None", "none", "NULL", "null", "nullptr", "nil"), _NO_VALUE),
    **dict.fromkeys(("newaxis", "Ellipsis"), "axes are made by .reshape: t.reshape(128, 1, 64)"),
    **dict.fromkeys(("INFINITY", "infinity", "Infinity"), "it is written 'inf'"),
    **dict.fromkeys(("post", "after"), "it is followed by the name of a moment: 'after name'"),
    "pi": "write 3.141592653589793",
}
"""What a name that other languages have is here."""

LIBRARIES = dict.fromkeys(
    ("numpy", "np", "nl", "nisa", "torch", "math"),
    "there are no libraries here: write what comes after the dot",
)
"""What is no name here, however like it others are."""

METHODS = {
    **dict.fromkeys(("transpose", "swapaxes", "moveaxis"), "axes are reordered by .permute"),
    **dict.fromkeys(("flatten", "ravel", "squeeze", "unsqueeze", "expand_dims"), "use .reshape"),
    **dict.fromkeys(("astype", "to", "cast"), "an instruction that writes another dtype converts"),
    **dict.fromkeys(("expand", "broadcast_to", "repeat", "tile"), "use .broadcast"),
    **dict.fromkeys(("copy", "clone"), "an instruction copies: a view has no bytes of its own"),
}
"""What a method of other libraries is here."""

UNDECLARED = "a constant is declared '.const {} = 4'"
"""What to write where a number is wanted and a name means nothing."""

_WHOLE = "'//' divides integers and rounds down, ceil_div(a, b) rounds up"

FUNCTIONS = {
    **dict.fromkeys(("wait", "post", "after", "before"), _COUNTED_BY),
    "range": "from 0 up to 4 is written '0..4'",
    "sum": "an '.expect' has it",
    "sqrt": "a square root is written N ** 0.5",
    "pow": "a power is written a ** b",
    "defined": "'.const N = 4' gives a default, which -D N=8 replaces",
    "print": "'neuron-nasm repl' prints what tensors hold; '.expect' compares it",
    **dict.fromkeys(("int", "floor", "ceil", "round"), _WHOLE),
    **dict.fromkeys(("allclose", "isclose", "assert_allclose"), "write '.expect a ~ b'"),
    **dict.fromkeys(("array_equal", "equal", "all", "eq"), "write '.expect a == b'"),
}
"""What a function of other languages is here."""

RUN_TIME = re.compile(r"(?<![\w.])%r[0-9]+|\bgoto\b")
"""In a condition: it is one that a machine decides."""

_BRANCH = (
    "a register is compared by the instruction that branches ('neuron-nasm isa' has it), or by "
    "'.break %r1 > 0' in a '.loop'; '.if condition' chooses lines when the program is assembled"
)

_DOTTED = re.compile(r"(@\w+)\.([A-Z]\w*)")
_STEPPED = re.compile(r"(\+\+|--)[ \t]*(\$[A-Za-z_]\w*)")
_MOVES = re.compile(r"(\S+)\s*<-\s*(\S+)")
_MNEMONIC = re.compile(r"[A-Z]\w*[a-z]\w*")
_ENGINE = re.compile(r"[a-z]\w*")
_COUNTED = re.compile(r"[A-Za-z_]\w*\s*(?:\+\+|--|[-+]=)")
_GIVEN = re.compile(r"(give|take)[ \t]+([A-Za-z_]\w*)")
_NAME_GETS = re.compile(r"[-+*/]?=\s*-?[0-9]")
_WORD = re.compile(r"[A-Za-z_]\w*")
_SUFFIX = re.compile(r"\.[A-Za-z_]\w*")
_ASSIGNS = re.compile(r"\]\s*=(?!=)")
_DECLARED = re.compile(r"\s*\.(\w+)\s+([A-Za-z_]\w*)\s*(\[[^\]]*\])\s*([A-Za-z_]\w*)?")
_SHAPED = re.compile(r"\s*\.(\w+)\s+([A-Za-z_]\w*)\s+([A-Za-z_]\w*)\s*((?:[(\[][^)\]]*[)\]])+)")
_SIZES = re.compile(r"[(\[]([^)\]]*)[)\]]")


def habit(failure: ParseFailure) -> Mistake | None:
    """A line as another language writes it, or without the sign that it begins with here."""
    if failure.symbol != "line":
        return None
    dotted = _DOTTED.match(failure.text, failure.start, failure.end)
    if dotted is not None:
        text = f"there is a '.' between '{dotted[1]}' and '{dotted[2]}'"
        hint = f"write '{dotted[1]} {dotted[2]}'"
        return Mistake("E0101", text, dotted.start(), dotted.end(), hint)
    if failure.directive:
        return None
    words = [match.group() for match in failure.before]
    if words[1:2] == [":"]:
        words = words[2:]
    first = failure.before[len(failure.before) - len(words)] if words else None
    if first is None:
        comment = failure.found in ("//", "/", "/*")
        return failure.mistake("E0101", failure.misfit, COMMENT) if comment else None
    word = words[0]
    if word in ("if", "while") and RUN_TIME.search(failure.text, first.end(), failure.end):
        text = f"'{word}' with a register: what is decided at run time is a branch"
        return Mistake("E0101", text, first.start(), first.end(), _BRANCH)
    if word in FORMS and words[1:2] not in (["("], [":"], ["="]):
        return _missing(".", first, f"it is written '{FORMS[word]}'")
    if len(words) == 2 and dtypes.find(failure.found) and all(map(_WORD.fullmatch, words)):
        return _missing(".", first, f"a tensor is declared '.{word} name dtype[shape]'")
    engine = len(words) >= 2 and _ENGINE.fullmatch(word) and _MNEMONIC.fullmatch(words[1])
    if engine and failure.after_value and len(words) == 2:
        return _missing("@", first, f"an engine is chosen with '@{word}'")
    return None


def hint(failure: ParseFailure) -> str:
    """What to write for what is usual elsewhere, where nothing better is known; or nothing."""
    before = [match.group() for match in failure.before]
    if failure.text.startswith(("/*", "--"), failure.at) or failure.found == "*/":
        return COMMENT
    first = next((word for word in before if not word.startswith("@")), "").lower()
    if first in STATEMENTS:
        return STATEMENTS[first]
    better = (
        _of_sync(failure, before) or _of_brackets(failure, before) or _of_names(failure, before)
    )
    if better:
        return better
    if _SUFFIX.fullmatch(failure.found) and _WORD.fullmatch(failure.previous):
        return f"a mnemonic is one word: nothing like '{failure.found}' belongs to it"
    if (
        before[1:2] == ["["]
        and _WORD.fullmatch(before[0])
        and _ASSIGNS.search(failure.text, failure.at, failure.end)
    ):
        return "an instruction begins with its mnemonic, and its first operand is what it writes"
    if failure.previous == "," and failure.found in (")", "]"):
        return "leave the comma out"
    opener = failure.opened[-1].group() if failure.opened else ""
    if len(before) == 1 and before[0].startswith("@") and failure.found == "{":
        return "an engine has no template: a macro takes one, '.macro f(eng)', and '@eng' in it"
    if len(before) == 1 and before[0].startswith("@") and failure.found in (":", ","):
        return f"nothing comes between '{before[0]}' and the mnemonic"
    if failure.found == "=" and not failure.opened:
        return "an instruction begins with its mnemonic, and its first operand is what it writes"
    if failure.found == ".." and "post" in before:
        return "a line posts one moment; 'after load[0..4]' waits for several"
    if opener == "[" and failure.text.startswith("...", failure.at):
        return "all of an axis is written ':', each axis by its own"
    if failure.found == ".." and opener == "[":
        return "a part is written [first : end]"
    if failure.found == ":" and before[:1] == [".macro"]:
        return f"an argument has no type: '{failure.previous}' alone"
    if failure.found == ":" and opener == "(":
        return "a part of a tensor is written in [ ]"
    if failure.found in ("&", "*"):
        return f"a tensor is its name, without '{failure.found}'"
    if failure.found == ">" and failure.previous == "-":
        return "what is written comes first, then what is read"
    return ""


def _of_sync(failure: ParseFailure, before: list[str]) -> str:
    """Waits, updates and moments, as they are written elsewhere."""
    if failure.directive:
        return ""
    words = {word.lower() for word in (*before[1:], failure.found)} - {"from", "post", "after"}
    if any(STATEMENTS.get(word) is _COUNTED_BY for word in words) or words & _ORDERING:
        return _COUNTED_BY
    if before[-2:-1] in (["post"], ["after"]) and failure.found in _COUNTS:
        return f"a moment has no count: write '{before[-2]} {failure.previous}'"
    if "after" in before and failure.found in ("and", "&"):
        return f"moments are listed: 'after {failure.previous}, {_next_word(failure)}'"
    stepped = _STEPPED.search(failure.text, failure.start, failure.end)
    if stepped is not None and stepped.start() <= failure.at <= stepped.end():
        return f"it follows its semaphore: write {stepped[2]}{stepped[1]}"
    if failure.after_sync and failure.previous in ("&", "|") and failure.found in ("&", "|"):
        return _ONE_WAIT
    if "post" in before and failure.found == ",":
        return "each moment has a 'post' of its own: 'post a post b'"
    if "post" in before and before[-2:-1] == ["post"] and _WORD.fullmatch(failure.found):
        return f"a moment has one word as its name: 'post {failure.previous}_{failure.found}'"
    return ""


def _of_brackets(failure: ParseFailure, before: list[str]) -> str:
    """Tuples, and ranges in brackets."""
    opener = failure.opened[-1].group() if failure.opened else ""
    if failure.found == ".." and before[:1] in ([".for"], [".loop"]):
        return f"it is written '{FORMS[before[0][1:]]}'"
    if failure.found == "," and opener == "(" and failure.after_value:
        return "there are no tuples: a list is written in [ ], as in .reshape([128, 8, 8])"
    return ""


def _of_names(failure: ParseFailure, before: list[str]) -> str:
    """Assignments, and compound ones."""
    text, end = failure.text, failure.end
    if len(before) == 1 and _NAME_GETS.match(text, failure.at, end):
        return f"a constant is declared '.const {before[0]} = 4', and keeps its value"
    if failure.found == "=" and failure.previous in SIGNS and len(before) > 2:
        return f"the operator is an operand: op={SIGNS[failure.previous]}"
    return ""


def _next_word(failure: ParseFailure) -> str:
    """The word after what was found."""
    found = _WORD.search(failure.text, failure.at + len(failure.found), failure.end)
    return found[0] if found is not None else "name"


def arrow(text: str, start: int, at: int, end: int) -> Mistake | None:
    """``TensorCopy t <- u``, which would be read as 'less than minus u'."""
    if '"' in text[start:at]:
        return None
    sides = _MOVES.search(text, start, end)
    hint = f"write {sides[1]}, {sides[2]}" if sides is not None else "write a comma"
    return Mistake("E0107", "'<-' goes between the tensors of a '.dma' only", at, at + 2, hint)


def unclosed(text: str, start: int, bracket: int) -> str:
    """A hint for a bracket that is not closed, where another language has one; or nothing."""
    words = _WORD.findall(text[start:bracket])
    if text[bracket] == "{" and not text[bracket + 1 :].partition("\n")[0].strip():
        return f"{END}, and nothing opens it but its first line"
    if words and words[0] in ("for", "loop", "if", "elif") and text[bracket] == "(":
        return f"it is written '{FORMS[words[0]]}'"
    return ""


def closing(found: str) -> str:
    """The same for one that closes nothing."""
    return END if found == "}" else ""


def declared(failure: ParseFailure) -> str:
    """How to declare a tensor whose shape is at its name, or whose dtype comes first."""
    shaped = _SHAPED.match(failure.text, failure.start, failure.end)
    if shaped is not None and dtypes.find(shaped[3]) is not None and shaped.end() > failure.at:
        sizes = ", ".join(_SIZES.findall(shaped[4]))
        return f"write '.{shaped[1]} {shaped[2]} {shaped[3]}[{sizes}]'"
    found = _DECLARED.match(failure.text, failure.start, failure.end)
    if found is None:
        return ""
    word, one, shape, other = found.groups()
    name, dtype = (other, one) if dtypes.find(one) is not None else (one, other)
    if not dtype or dtypes.find(dtype) is None:
        return ""
    return f"write '.{word} {name or 'name'} {dtype}{shape}'"


def unmarked(failure: ParseFailure) -> str:
    """A hint for a semaphore without its sign."""
    given = _GIVEN.match(failure.text, failure.at, failure.end)
    if given is not None and not failure.opened:
        return f"a semaphore is written '${given[2]}': write {given[1]} ${given[2]}"
    if failure.previous in ("give", "take") and _WORD.fullmatch(failure.found):
        return f"a semaphore is written '${failure.found}': {failure.previous} ${failure.found}"
    if failure.opened or not _COUNTED.match(failure.text, failure.at, failure.end):
        return ""
    return f"a semaphore is written '${failure.found}'"


def _missing(sign: str, first: re.Match[str], hint: str) -> Mistake:
    return Mistake(
        "E0101", f"'{sign}' is missing before '{first.group()}'", first.start(), first.end(), hint
    )
