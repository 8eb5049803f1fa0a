.target trn3
.hbm   row_in e4m3[1, 8] input = [ 255,  255,  -32768,  255,  127, -128,  255, -128]
.sbuf  row    e4m3[1, 8]
.sbuf  found  e4m3[1, 8DmaCopy+ 1]
.sem ready
@sync   row, row_in $ready += 16
@gpsimd EventSemaphore $ready >= 16
@gpsimd NonzeroWithCount found, row
