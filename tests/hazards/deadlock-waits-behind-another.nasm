; deadlock: Vector lacks an update; Scalar and Sync merely wait behind it
.target trn2
.sem   first, second, third
@vector  EventSemaphore                  $first >= 1      $second++
;= @vector  EventSemaphore                                   $second++
@scalar  EventSemaphore                  $second >= 1     $third++
@sync    EventSemaphore                  $third >= 1
