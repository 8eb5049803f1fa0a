.target trn1
.hbm A f32[128, 4] input = ones
.hbm B f32[128, 4] input = rand(seed=1)
.hbm C f32[128, 4] input = random(shape=3)
.hbm D f32[128, 4] input = "data.csv"
.hbm E f32[128, 4] input = 0
.hbm F f32[128, 4] input = random(seed=-1)
