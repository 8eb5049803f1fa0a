"""CopyPredicated, MatchValueLoad, FindIndex8, MatchReplace8."""

from __future__ import annotations

from tests.neuron.broken import Broken
from tests.neuron.programs import psum, sbuf


def cases() -> list[Broken]:
    copy, fits = "CopyPredicated", "the value is of dst's class"
    row, head = "MatchReplace8", "@vector MatchReplace8"
    tiles = {
        "mask": sbuf("u8", (128, 64)),
        "few8": sbuf("u8", (128, 7)),
        "pm": psum("u8", (128, 64)),
        "i32": sbuf("i32", (128, 64)),
        "at32_7": sbuf("u32", (128, 7)),
        "at32_64": sbuf("u32", (64, 8)),
        "huge": sbuf("i8", (1, 20000)),
        "hugest": sbuf("i8", (1, 20000)),
    }
    cut = "a.ap([[64, 128], [32, 2], [8, 2], [1, 2]])"
    found = [
        Broken(
            copy,
            "dst, src and predicate have",
            "E0404",
            "predicate 7",
            "@vector CopyPredicated c, a, few8",
        ),
        Broken(
            copy,
            "dst and src have the same",
            "E0405",
            "dst is bfloat16 and src is float32",
            "@vector CopyPredicated g, a, mask",
        ),
        Broken(
            copy,
            "src and predicate are not both",
            "E0406",
            "both in psum",
            "@vector CopyPredicated c, p, pm",
        ),
        Broken(
            copy,
            fits,
            "E0405",
            "src=1.5 into int32; wanted an integer",
            "@vector CopyPredicated i32, 1.5, mask",
        ),
        Broken(
            copy,
            fits,
            "E0405",
            "wanted -2147483648 to 2147483647",
            "@vector CopyPredicated i32, 2 ** 31, mask",
        ),
        Broken(copy, fits, "E0405", "wanted 0", "@vector CopyPredicated w, 1, mask", "trn3"),
        Broken(
            "MatchValueLoad",
            "vals has exactly 8",
            "E0410",
            "vals has 7",
            "@vector MatchValueLoad few",
        ),
        Broken(
            "MatchValueLoad",
            "vals has at most 2",
            "E0402",
            "vals needs 3 free dims",
            f"@vector MatchValueLoad {cut}",
        ),
        Broken(
            "FindIndex8", "dst and data have", "E0404", "dst has 64", "@vector FindIndex8 at64, a"
        ),
        Broken(
            "FindIndex8",
            "data has 8 to 16,384",
            "E0410",
            "data has 7",
            "@vector FindIndex8 at, few",
        ),
        Broken(
            "FindIndex8",
            "data has at most 2",
            "E0402",
            "data needs 3 free dims",
            f"@vector FindIndex8 at, {cut}",
        ),
        Broken(
            "FindIndex8", "dst has exactly 8", "E0410", "dst has 7", "@vector FindIndex8 at7, a"
        ),
        Broken(row, "dst and data have", "E0404", "data 32", f"{head} c, thin, 0.0"),
        Broken(
            row, "dst_idx and data have", "E0404", "dst_idx has 64", f"{head} c, a, 0.0, at32_64"
        ),
        Broken(row, "data has 1 to 16,384", "E0410", "data has 20000", f"{head} hugest, huge, 0.0"),
        Broken(row, "dst_idx has exactly 8", "E0410", "dst_idx has 7", f"{head} c, a, 0.0, at32_7"),
    ]
    return [Broken(b.row, b.sentence, b.code, b.piece, b.lines, b.on, tiles) for b in found]
