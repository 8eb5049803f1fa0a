; race: GpSimd reads the rows to fetch before they are loaded
.target trn2
.hbm   TABLE  f32[64, 32]   input = iota
.hbm   IDS    i32[128, 1]   input = zeros
.hbm   Y      f32[128, 32]  output
.sbuf  ids    i32[128, 1] = zeros
.sbuf  y      f32[128, 32]
.sem   loaded, fetched, stored
@sync    DmaCopy         ids, IDS                         $loaded += 16
@gpsimd  DmaCopy         y, TABLE.ap([[32, 128], [1, 32]], vector_offset=ids)   $fetched += 16
;= @gpsimd  DmaCopy         y, TABLE.ap([[32, 128], [1, 32]], vector_offset=ids)   $loaded >= 16   $fetched += 16
@sync    EventSemaphore                  $fetched >= 16
@sync    DmaCopy         Y, y                             $stored += 16
@sync    EventSemaphore                  $stored >= 16
