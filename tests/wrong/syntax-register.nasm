.target trn1
@sync RegisterMove %5, 1
@sync RegisterMove r0, 1
