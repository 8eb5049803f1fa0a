.target trn2
.sbuf t f32[128, 64]
.event busy
.sem started
@vector Memset t, 1.0                      $busy = 1
@vector Nop                                $started++
@gpsimd Nop                 $started >= 1
@gpsimd TensorCopy t, t     $busy == 0
