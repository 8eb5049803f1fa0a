; test_nki_isa_range_select.py, test_range_select_example, float8_e5m2: columns whose number lies in a range
.target trn2
.hbm   A       float8_e5m2[128, 512]  input
.hbm   LOW     f32[128, 1]     input
.hbm   HIGH    f32[128, 1]     input
.hbm   OUT     float8_e5m2[128, 512]  output
.hbm   MOST    float8_e5m2[128, 1]    output
.hbm   WANT       float8_e5m2[128, 512]  input
.hbm   WANT_MOST  float8_e5m2[128, 1]    input
.sbuf  a     float8_e5m2[128, 512]
.sbuf  low   f32[128, 1]
.sbuf  high  f32[128, 1]
.sbuf  c     float8_e5m2[128, 512]
.sbuf  m     float8_e5m2[128, 1]
.sem   loaded, done, stored
@sync    DmaCopy      a, A        $loaded += 16
@sync    DmaCopy      low, LOW    $loaded += 16
@sync    DmaCopy      high, HIGH  $loaded += 16
@vector  RangeSelect  c, a, comp_op0=greater_equal, comp_op1=less, bound0=low, bound1=high, reduce_cmd=reset_reduce, reduce_res=m, reduce_op=maximum, range_start=32  $loaded >= 48  $done++
@sync    DmaCopy      OUT, c   $done >= 1  $stored += 16
@sync    DmaCopy      MOST, m              $stored += 16
@sync    EventSemaphore        $stored >= 32
.expect  OUT == WANT
.expect  MOST == WANT_MOST
