.target trn2
.hbm  H  f32[1, 8]
.sem  here
.core 1
.sbuf there f32[1, 8]
.sbuf here f32[1, 8]
.event bit
.core 2
.core 0
@vector Memset there, 0.0
@sync   DmaCopy H, there   $here += 16
@vector Nop   $bit == 1
@vector Nop   $here >= 1   $bit = 1
.core 1
@vector Nop   $here >= 1   $bit++
@sync   DmaCopy H, there   $bit = 1
.expect cycles(vector, core=2) <= 100
