; deadlock: three updates, and a wait for four
.target trn2
.sem   done
@vector  Nop                                              $done++
@scalar  Nop                                              $done++
@gpsimd  Nop                                              $done++
@sync    EventSemaphore                  $done >= 4
;= @sync    EventSemaphore                  $done >= 3
