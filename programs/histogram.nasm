; counts[v] = how often v occurs among 64 numbers below 16
; Shows: a loop at run time, and an operand whose place is held in a register. Nothing here is known
; before the run: which element a round adds to depends on the data.
.target trn1
.const COUNT = 64, BINS = 16

.hbm   V       i32[1, COUNT]  input = [[3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3,
                                        2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5,
                                        0, 2, 8, 8, 4, 1, 9, 7, 1, 6, 9, 3, 9, 9, 3, 7,
                                        5, 1, 0, 5, 8, 2, 0, 9, 7, 4, 9, 4, 4, 5, 9, 2]]
.hbm   COUNTS  f32[1, BINS]   output
.sbuf  v       i32[1, COUNT]
.sbuf  counts  f32[1, BINS]
.sem   loaded, done, stored

@sync    DmaCopy        v, V                                  $loaded += 16

@vector
         Memset         counts, 0.0
         EventSemaphore                                       $loaded >= 16
.loop i in 0..COUNT
         TensorLoad     %r1, v[:, i]
         TensorScalar   counts[:, %r1 : +1], counts[:, %r1 : +1], op0=add, operand0=1.0
.end
         EventSemaphore                                       $done++

@sync    DmaCopy        COUNTS, counts                        $done >= 1   $stored += 16
@sync    EventSemaphore                                       $stored >= 16

.expect  sum(COUNTS) == COUNT
.for b in 0..BINS
.expect  COUNTS[0, b] == sum(where(V == b, 1, 0))
.end
