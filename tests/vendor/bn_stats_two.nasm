; test_nki_isa_bn_stats.py, test_bn_stats_bn_aggr: the same of 1,024 elements, in two tiles of 512
.target trn1
.hbm   B      f32[128, 1024]  input
.hbm   MEAN   f32[128, 1]     output
.hbm   VAR    f32[128, 1]     output
.hbm   WANT_MEAN  f32[128, 1]  input
.hbm   WANT_VAR   f32[128, 1]  input
.sbuf  b      f32[128, 1024]
.sbuf  stats  f32[128, 12]
.sbuf  out    f32[128, 2]
.sem   loaded, done, stored

@sync    DmaCopy  b, B   $loaded += 16
@vector  EventSemaphore  $loaded >= 16
.for k in 0..2
@vector  BatchNormStats      stats[:, k*6 : +6], b[:, k*512 : +512]
.end
@vector  BatchNormAggregate  out, stats                      $done++
@sync    DmaCopy             MEAN, out[:, 0:1]  $done >= 1   $stored += 16
@sync    DmaCopy             VAR, out[:, 1:2]                $stored += 16
@sync    EventSemaphore                     $stored >= 32

.expect  MEAN ~ WANT_MEAN
.expect  VAR ~ WANT_VAR
