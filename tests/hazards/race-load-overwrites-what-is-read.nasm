; race: the next load does not wait until the last tile has been read
.target trn2
.hbm   X  f32[256, 512]  input = iota
.hbm   Y  f32[256, 512]  output
.sbuf  t  f32[128, 512]
.sbuf  u0 f32[128, 512]
.sbuf  u1 f32[128, 512]
.sem   loaded, copied, stored
@sync    DmaCopy         t, X[:128]                       $loaded += 16
@scalar  DmaCopy         t, X[128:]      $loaded >= 16    $loaded += 16
;= @scalar  DmaCopy         t, X[128:]      $copied >= 1     $loaded += 16
@vector  TensorCopy      u0, t           $loaded >= 16    $copied++
@vector  TensorCopy      u1, t           $loaded >= 32    $copied++
@sync    DmaCopy         Y[:128], u0     $copied >= 1     $stored += 16
@sync    DmaCopy         Y[128:], u1     $copied >= 2     $stored += 16
@sync    EventSemaphore                  $stored >= 32
