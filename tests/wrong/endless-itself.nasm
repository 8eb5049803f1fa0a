.target trn2
@vector
wait:   CompareBranch target=wait
