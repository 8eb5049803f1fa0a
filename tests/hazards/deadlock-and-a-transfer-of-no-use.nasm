; deadlock: a cycle; the transfer that nobody starts could not help it
.target trn2
.hbm   X  f32[128, 64]  input = iota
.sbuf  t  f32[128, 64]
.sem   one, two
.dma load
    t <- X
.end
@vector  Nop                             $two >= 1        $one++
@scalar  Nop                             $one >= 1        $two++
;= @scalar  Nop                                              $two++
