; deadlock: a cycle of two queues, and a third that waits for nobody's update
.target trn2
.sem   one, two, three
@vector  Nop                             $two >= 1        $one++
@scalar  Nop                             $one >= 1        $two++
;= @scalar  Nop                                              $two++
@gpsimd  Nop                             $three >= 1
;= @gpsimd  Nop                             $one >= 1
