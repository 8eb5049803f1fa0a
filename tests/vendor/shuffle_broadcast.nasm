; test_nki_isa_nc_stream_shuffle.py, test_broadcast_partition: one row to all 32
.target trn1
.hbm   IN    f32[1, 128]  input
.hbm   OUT   f32[32, 128]  output
.hbm   WANT  f32[32, 128]  input
.sbuf  a     f32[1, 128]
.sbuf  b     f32[32, 128]
.sem   loaded, done, stored
@sync    DmaCopy           a, IN                      $loaded += 16
@vector  LoadMaskRegister  [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
@vector  Shuffle           b, a  $loaded >= 16  $done++
@sync    DmaCopy           OUT, b  $done >= 1   $stored += 16
@sync    EventSemaphore    $stored >= 16
.expect  OUT == WANT
