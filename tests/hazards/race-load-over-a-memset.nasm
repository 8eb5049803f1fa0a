; race: the load and the Memset that is to come before it are in no order
.target trn2
.hbm   X  f32[128, 512]  input = iota
.hbm   Y  f32[128, 1024]  output
.sbuf  t  f32[128, 1024]
.sem   cleared, loaded, stored
@vector  Memset          t, 0.0                           $cleared++
@sync    DmaCopy         t[:, :512], X                    $loaded += 16
;= @sync    DmaCopy         t[:, :512], X   $cleared >= 1    $loaded += 16
@sync    EventSemaphore                  $loaded >= 16
@sync    DmaCopy         Y, t            $cleared >= 1    $stored += 16
@sync    EventSemaphore                  $stored >= 16
