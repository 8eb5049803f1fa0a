; test_nki_isa_nc_stream_shuffle.py, test_broadcast_mask: the same in each quadrant
.target trn1
.hbm   IN    f32[128, 128]  input
.hbm   OUT   f32[128, 128]  output
.hbm   WANT  f32[128, 128]  input
.sbuf  a     f32[128, 128]
.sbuf  b     f32[128, 128]
.sem   loaded, done, stored
@sync    DmaCopy           a, IN                      $loaded += 16
@vector  LoadMaskRegister  [31, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30]
@vector  Shuffle           b, a  $loaded >= 16  $done++
@sync    DmaCopy           OUT, b  $done >= 1   $stored += 16
@sync    EventSemaphore    $stored >= 16
.expect  OUT == WANT
