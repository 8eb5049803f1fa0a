; deadlock: the update that Vector waits for comes behind its wait
.target trn2
.sem   done
@vector  EventSemaphore                  $done >= 1
;-
@vector  Nop                                              $done++
;+ @vector  EventSemaphore                  $done >= 1
