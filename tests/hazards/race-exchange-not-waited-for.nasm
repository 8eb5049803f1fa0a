; race: Vector reads what SendRecv brings before the cores have met
.target trn2
.hbm   Y  f32[2, 64]  output
.for c in 0..2
.core  c
.sbuf  mine{c}   f32[1, 64]
.sbuf  got{c}    f32[1, 64] = zeros
.sbuf  sum{c}    f32[1, 64]
.sem   cleared{c}, met{c}, added{c}, stored{c}
@gpsimd  Memset          mine{c}, c + 1.0                 $cleared{c}++
@gpsimd  SendRecv        got{c}, mine{c}, send_to_rank=1 - c, recv_from_rank=1 - c, pipe_id=0   $cleared{c} >= 1   $met{c}++
@vector  TensorTensor    sum{c}, mine{c}, got{c}, op=add   $cleared{c} >= 1   $added{c}++
;= @vector  TensorTensor    sum{c}, mine{c}, got{c}, op=add   $met{c} >= 1   $added{c}++
@sync    DmaCopy         Y[c : +1], sum{c}   $added{c} >= 1   $stored{c} += 16
@sync    EventSemaphore                  $stored{c} >= 16
.end
