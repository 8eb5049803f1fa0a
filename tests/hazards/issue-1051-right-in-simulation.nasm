; race: aws-neuron-sdk 1051: right in a simulation, wrong on the device: GpSimd is mostly done
.target trn2
.hbm   X  f32[128, 512]  input = iota
.hbm   Y  f32[128, 512]  output
.sbuf  mask  f32[128, 512]
.sbuf  t     f32[128, 512]
.sem   masked, loaded, done, stored
@gpsimd  Memset          mask, 2.0                        $masked++
@sync    DmaCopy         t, X                             $loaded += 16
@vector  TensorTensor    t, t, mask, op=multiply   $loaded >= 16   $done++
;= @vector  EventSemaphore                  $masked >= 1
;+ @vector  TensorTensor    t, t, mask, op=multiply   $loaded >= 16   $done++
@sync    DmaCopy         Y, t            $done >= 1       $stored += 16
@sync    EventSemaphore                  $stored >= 16
