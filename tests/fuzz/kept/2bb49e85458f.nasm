.target trn1
.hbm   a_in   bf16[128, 128] input = random(seed=1)
.sbuf  a      bf16[128, 128]
.hbm   b_in   bf16[128, 128] input = random(seed=1)
.sbuf  b      bf16[128, 128]
.sbuf  c      uint16[128, 128]
.sem ready
@sync DmaTrigger a, a_in $ready += 16
@sync DmaTrigger b, b_in $ready += %r63
@vector EventSemaphore $ready >= true
@vector TensorTensorScan c, a, b, 0.0, op0=multiply, op1=add
