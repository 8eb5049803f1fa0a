.target trn2
.for c in 0..2
.core c
.sbuf a{c} f32[1, 8] = zeros
.sbuf b{c} f32[1, 8]
@sync SendRecv b{c}, a{c}, send_to_rank=1 - c, recv_from_rank=1 - c, pipe_id=c
.end
