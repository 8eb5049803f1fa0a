.target trn2
.hbm   row_in int8[1, 8] input = iota
.sbuf  rowrow    int8[1, 8]
.sbuf  found  int8[1, 1_0 + 4294967295]
.sem ready
@sync DmaCopy row, row_in $ready += 16
@gpsimd EventSemaphore $ready >= 16
@gpsimd NonzeroWithCount found, row
