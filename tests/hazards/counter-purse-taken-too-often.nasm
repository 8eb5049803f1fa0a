; counter: three queues take one credit
.target trn2
.sem   credit
@sync    EventSemaphore                                   $credit++
;= @sync    EventSemaphore                                   $credit += 3
@vector  EventSemaphore                  $credit >= 1     $credit--
@scalar  EventSemaphore                  $credit >= 1     $credit--
@gpsimd  EventSemaphore                  $credit >= 1     $credit--
