.target trn1
.const TILES = 4
.for k in 0..TILE
@sync Nop
.end
