.target trn1
.hbm Y f32[128, 512] output
.sbuf t f32[128, 512]
.sem done, stored
@vector Memset t, 1.0   $done++
@sync
RegisterMove %r0, 0
DmaCopy Y[0:64], t[0:64]   $done >= 1   $stored += 16
CompareBranch %r0, 0, op=equal, target=over
DmaCopy Y[64:128], t[64:128]   $stored += 16
over: EventSemaphore   $stored >= 16
