; deadlock: core 1 posts to a semaphore of its own, and core 0 waits for its own
.target trn2
.core  0
.sem   go0
.core  1
.sem   go1
@sync    EventSemaphore                                   $go1++
;= @sync    EventSemaphore                                   $go0++
.core  0
@sync    EventSemaphore                  $go0 >= 1
