; deadlock: an event is set, waited for until it is clear, and nobody clears it
.target trn2
.event full
@gpsimd  Nop                                              $full = 1
@vector  EventSemaphore                  $full == 1
;= @vector  EventSemaphore                  $full == 1       $full = 0
@gpsimd  EventSemaphore                  $full == 0
