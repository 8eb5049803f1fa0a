; fault: a semaphore goes past 32 bits
.target trn2
.sem   done
@vector  EventSemaphore                                   $done += 2147483647
@vector  EventSemaphore                                   $done++
;-
