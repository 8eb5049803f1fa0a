.target trn3
.hbm   a_in   bf16[1e999, 8] input = zeros
.sbuf  a      bf16[128, 8]
.sbuf  c      f32[128, 8].T
.sbuf  m      f32[128, 1]
.sem ready
@sync DmaCopy a, a_in $ready += 16
@vector EventSemaphore $ready >= 16
@vector Exponential c, a, 250.0, m, reduce_cmd=reset_reduce
