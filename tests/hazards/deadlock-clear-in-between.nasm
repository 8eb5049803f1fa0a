; deadlock: the semaphore is cleared between the update and the wait
.target trn2
.sem   done = 8
@vector  EventSemaphore                                   $done++
@vector  EventSemaphoreRangeClear 8, 8
;-
@vector  EventSemaphore                  $done >= 1
