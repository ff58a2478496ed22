#!/bin/bash
# What observing costs, in pairs: run.sh [PAIRS], in the repository's root. It needs g++ and python3.
exec go test ./kernels/observe -run '^$' -bench Observed -benchtime "${1:-21}x"
