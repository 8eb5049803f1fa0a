; deadlock: each of two queues waits for what the other does behind its own wait
.target trn2
.sem   one, two
@vector  Nop                             $two >= 1        $one++
@scalar  Nop                             $one >= 1        $two++
;= @scalar  Nop                                              $two++
;+ @scalar  Nop                             $one >= 1
