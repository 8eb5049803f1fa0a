; race: the store of a round does not wait for its Activation
.target trn2
.hbm   Y  f32[3, 64]  output
.sbuf  t  f32[1, 64]
.sem   ready, written, stored
@vector  Memset          t, 1.0                           $ready++
@scalar
         EventSemaphore                  $ready >= 1
         RegisterMove    %r0, 0
again:   Activation      t, t, op=copy, scale=2.0         $written++
;+          EventSemaphore                  $written >= 1    $written--
         DmaCopy         Y[%r0 : +1, :], t                $stored += 16
         EventSemaphore                  $stored >= 16    $stored -= 16
         RegisterAlu     %r0, %r0, 1, op=add
         CompareBranch   %r0, 3, op=less, target=again
