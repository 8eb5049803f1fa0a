.target trn1
.macro down(n)
    up(n)
.end
.macro up(n)
    down(n + 1)
.end
down(0)
