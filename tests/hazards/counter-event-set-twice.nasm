; counter: an event is set that is set already
.target trn2
.event full
@vector  EventSemaphore                                   $full = 1
@vector  EventSemaphore                                   $full = 1
;= @vector  EventSemaphore                  $full == 1       $full = 0
