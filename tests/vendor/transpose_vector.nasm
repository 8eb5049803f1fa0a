; test_nki_isa_nc_transpose.py, test_nc_transpose, second example: 32 by 2 on the Vector engine
.target trn1
.hbm   B      f32[32, 2]   input
.hbm   BT     f32[2, 32]   output
.hbm   WANT   f32[2, 32]   input
.sbuf  b      f32[32, 2]
.sbuf  t      f32[2, 32]
.sem   loaded, done, stored
@sync    DmaCopy    b, B                    $loaded += 16
@vector  Transpose  t, b   $loaded >= 16    $done++
@sync    DmaCopy    BT, t  $done >= 1       $stored += 16
@sync    EventSemaphore    $stored >= 16
.expect  BT == WANT
