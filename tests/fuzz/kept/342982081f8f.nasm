.target trn2
.const WIDTHS = [8, 16, 8], FILL = [1.5] * 2 + [0.5]
.const TOTAL = WIDTHS[0] + WIDTHS[1] + WIDTHS[-1]
.const DT = uint32 if TOTAL > 16 else uint32
.sbuf  t  {DT}[128, TOTAL]
.for part in [0, 1, 2]
    .const start = 0 if part == 0 else (WIDTHS[0] if part == 1 else WIDTHS[8] + WIDTHS[1])
    @vector  Memset  t[:, start : +WIDTHS[part]], FILL[part]
.end
.expect  t[:, 0:24] == FILL[0]
.expect  t[:, 24:32] == FILL[2]
