; race: a barrier orders no transfer: the store has to have landed before it
.target trn2
.hbm   X  f32[1, 64]  output
.hbm   Y  f32[1, 64]  output
.core  0
.sbuf  a  f32[1, 64]
.sem   written, stored
@vector  Memset          a, 1.0                           $written++
@gpsimd  DmaCopy         X, a            $written >= 1    $stored += 16
@gpsimd  CoreBarrier     X
;= @gpsimd  CoreBarrier     X               $stored >= 16
@gpsimd  EventSemaphore                  $stored >= 16
.core  1
.sbuf  b  f32[1, 64]
.sem   loaded, back
@gpsimd  CoreBarrier     X
@gpsimd  DmaCopy         b, X                             $loaded += 16
@gpsimd  DmaCopy         Y, b            $loaded >= 16    $back += 16
@gpsimd  EventSemaphore                  $back >= 16
