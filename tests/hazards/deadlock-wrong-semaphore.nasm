; deadlock: the update is of another semaphore than the wait
.target trn2
.sem   started, done
@vector  Nop                                              $started++
;= @vector  Nop                                              $done++
@sync    EventSemaphore                  $done >= 1
