; counter: a wait for just 1, which another update may carry to 2 before it is seen
.target trn2
.sem   done
@vector  EventSemaphore                                   $done++
@gpsimd  EventSemaphore                                   $done++
@sync    EventSemaphore                  $done == 2
;= @sync    EventSemaphore                  $done >= 2
@tensor  EventSemaphore                  $done == 1
;= @tensor  EventSemaphore                  $done >= 1
