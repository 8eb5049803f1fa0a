; test_nki_isa_affine_select.py, test_affine_select: the upper triangle becomes the least float32
.target trn1
.hbm   A     f32[128, 128]  input
.hbm   B     f32[128, 128]  output
.hbm   WANT  f32[128, 128]  input
.sbuf  a  f32[128, 128]
.sbuf  b  f32[128, 128]
.sem   loaded, done, stored

@sync    DmaCopy       a, A                               $loaded += 16
@gpsimd  AffineSelect  b, pattern=[[-1, 128]], channel_multiplier=1, on_true_tile=a, on_false_value=-3.4028234663852886e38, cmp_op=greater  $loaded >= 16  $done++
@sync    DmaCopy       B, b                  $done >= 1   $stored += 16
@sync    EventSemaphore                      $stored >= 16

.expect  B ~ WANT
