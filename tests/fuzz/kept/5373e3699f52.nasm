.target trn2
.hbm   a_in   bf16[128, 128] input = random(seed=1)
.sbuf  a      bf16[128, 128]
.sbuf  got    bf16[128, 8]
.sem ready
@sync DmaCopy a, a_in $ready += 16
.core 1
.sbuf   bf16[128, 8] = iota
.sbuf back bf16[128, 8]
.hbm   scores_in f32[128, 128] input = random(seed=1)
.sbuf  scorestheref32[128, 128]
.sbuf  masked f32[128, 128]
.sem ready
@sync DmaCopy scores, scores_in $ready += 16
@gpsimd EventSemaphore $ready >= 16
@gpsimd AffineSelect masked, scores, [[-1, 128]], 1, -30000.0, cmp_op=greater_equal
