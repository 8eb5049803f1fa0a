.target trn2
.const WIDE = 1
.sbuf  t  f32[128, 66]
.if WIDE
    .const STEP = 32
.else
    .const STEP = 8
.end
.for k in 0..64 step STEP
    @vector  RandSetState  t[:,[ k : +STEP], STEP,    @vector  RandSetState  t[:,[ k : +STEP], STEP
.end
.expect  t == 32
