.target trn3
.sbuf  both   f32[128, 2]
.hbm   stats_in f32[128, 3 * 8] input = [16777217, 4294967295]
.sbuf  stats  f32[128, 3 * 8]
.sem ready
@sync DmaCopy stats, stats_in $ready += 16
@vector EventSemaphore $ready >= 16
@vector BatchNormAggregate both, stats
