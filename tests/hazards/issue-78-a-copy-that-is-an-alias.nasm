; race: nki-samples 78: the copy is taken while the original changes
.target trn2
.hbm   Y  f32[128, 512]  output
.hbm   Z  f32[128, 512]  output
.sbuf  a  f32[128, 512]
.sbuf  b  f32[128, 512]
.sem   written, copied, changed, stored
@vector  Memset          a, 1.0                           $written++
@scalar  Activation      b, a, op=copy   $written >= 1    $copied++
@vector  TensorScalar    a, a, op0=add, operand0=1.0      $changed++
;= @vector  TensorScalar    a, a, op0=add, operand0=1.0   $copied >= 1   $changed++
@sync    DmaCopy         Y, a            $changed >= 1    $stored += 16
@sync    DmaCopy         Z, b            $copied >= 1     $stored += 16
@sync    EventSemaphore                  $stored >= 32
