; test_nki_isa_bn_stats.py, test_bn_stats_bn_aggr: mean and variance of one tile
.target trn1
.hbm   A      f32[128, 128]  input
.hbm   MEAN   f32[128, 1]    output
.hbm   VAR    f32[128, 1]    output
.hbm   WANT_MEAN  f32[128, 1]  input
.hbm   WANT_VAR   f32[128, 1]  input
.sbuf  a      f32[128, 128]
.sbuf  stats  f32[128, 6]
.sbuf  out    f32[128, 2]
.sem   loaded, done, stored

@sync    DmaCopy             a, A                            $loaded += 16
@vector  BatchNormStats      stats, a       $loaded >= 16
@vector  BatchNormAggregate  out, stats                      $done++
@sync    DmaCopy             MEAN, out[:, 0:1]  $done >= 1   $stored += 16
@sync    DmaCopy             VAR, out[:, 1:2]                $stored += 16
@sync    EventSemaphore                     $stored >= 32

.expect  MEAN ~ WANT_MEAN
.expect  VAR ~ WANT_VAR
