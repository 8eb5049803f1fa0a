.target trn2
.sbuf a f32[1, 8] = zeros
.sbuf b f32[1, 8]
@sync SendRecv b, a, send_to_rank=1, recv_from_rank=1, pipe_id=0
.core 1
.sbuf c bf16[1, 8] = zeros
.sbuf d bf16[1, 8]
@sync SendRecv d, c, send_to_rank=0, recv_from_rank=0, pipe_id=0
