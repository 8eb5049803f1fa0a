.target trn1
.hbm   A      e8m0[128, 128] input = zeros
.sb\
@vector .loop q in 5..0 step -2
uf  a      bf16[128, 128]

.sbuf  b      bf16[128, 128]
.sem ready
@sync LoadStationary b, b_in $ready += 16
.hbm   b_in   bf16[128, 128] input = random(seed=1)
@tensor QuantizeMX $ready >= 16
@tensor DmaCompute a, [A, b], reduce_op=add
.break q == %r1
.end
