; deadlock: the two sides of an exchange name different pipes
.target trn2
.hbm   Y  f32[2, 64]  output
.for c in 0..2
.core  c
.sbuf  mine{c}   f32[1, 64]
.sbuf  got{c}    f32[1, 64]
.sem   written{c}, met{c}, stored{c}
@gpsimd  Memset          mine{c}, c + 1.0                 $written{c}++
@gpsimd  SendRecv        got{c}, mine{c}, send_to_rank=1 - c, recv_from_rank=1 - c, pipe_id=c   $written{c} >= 1   $met{c}++
;= @gpsimd  SendRecv        got{c}, mine{c}, send_to_rank=1 - c, recv_from_rank=1 - c, pipe_id=0   $written{c} >= 1   $met{c}++
@sync    DmaCopy         Y[c : +1], got{c}   $met{c} >= 1   $stored{c} += 16
@sync    EventSemaphore                  $stored{c} >= 16
.end
