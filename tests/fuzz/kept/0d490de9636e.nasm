.target trn2
.hbm   row_in i32[1, 8] input = [inf,  -inf, inf,  nan,  -inf,  -inf,  -0.0,  -0.0]
.sbuf  row    i32[1, 8]
.sbuf  found  i32[1, 1_0 + 1]
.sem ready
@sync DmaCopy row, row_in $ready += 16
@gpsimd EventSemaphore $ready >= 16
@gpsimd NonzeroWithCount found, row
