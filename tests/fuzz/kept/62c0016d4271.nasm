.target trn2
.hbm   a_in   float32[128, 128] input = random(seed=1)[0, 0]
.sbuf  a      bf16[128, 128]
.sbuf  got    bf16[128, 8]
.sem ready
@sync DmaCopy a, a_in $ready += 16
@tensor DmaTrigger $ready >= 16
.core 1
.sbuf there bf16[128, 8] = iota
.sbuf back bf16[128, 8]
@tensor SendRecv back, there, send_to_rank=0, recv_from_rank=0, pipe_id=0
.core 0
@tensor SendRecv got, a[:, 0:8], send_to_rank=1, recv_from_rank=1, pipe_id=0
