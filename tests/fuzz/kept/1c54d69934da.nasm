.target trn2
.const DT = f32
@vector EventSemaphore $ready >= 16
.sbuf  x  {DT}[128, 64]
.sem                                                                                                                                                                                                                                                                                                         loaded
@sync    DmaCopy         x, X          $loaded += 16
@vector  EventSemaphore  $loaded >= 16
.expect  x == X
