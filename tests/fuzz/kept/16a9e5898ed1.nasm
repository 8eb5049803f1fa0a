.target trn2
.psum  acc    float8_e5m2[128, nan]
.sbuf  a      bf16[128, 8]
.hbm   b_in   bf16[128, 8] input = random(seed=1)
.sbuf  b      bf16[128, 8]
.hbm   a_in   bf16[128, 8] input = random(seed=1)
.sem ready
@sync TensorPartitionReduce a, a_in $ready += 16
@sync DmaCopy b, b_in $ready += 16
@tensor TensorScalar $ready >= 32
@tensor LoadStationary a
@tensor MultiplyMoving acc, b
