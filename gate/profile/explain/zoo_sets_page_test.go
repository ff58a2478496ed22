package explain_test

const setsHead = "# Mistakes that others explained\n\n" +
	"Pairs of kernels, one of which is slower for a reason that somebody else found and wrote down: course material, tutorials, manuals, pull\n" +
	"requests. The kernels are written anew for this. What is expected was written down from the source's words before anything was profiled\n" +
	"([learn.yaml](../../../testdata/ncu/learn.yaml), [frozen.yaml](../../../testdata/ncu/frozen.yaml) have source and reason of each), and the sources of\n" +
	"the two sets are different ones. Recorded on an NVIDIA H200 (driver 580, CUDA 13.0, Nsight Compute 2025.3.1) by `run.sh`, trimmed by `keep.sh`,\n" +
	"explained again by `go test ./gate/profile/explain`, which also writes this page (`-update`).\n\n" +
	"- **right**: the largest cause that is named is the expected one, and all others are among those that the source's words bear.\n" +
	"- **acceptable**: all are among those, and another one is the largest.\n" +
	"- **wrong**: one that is named is not among them. **unexplained**: none is named.\n" +
	"- **ratio**: medians of two processes a side, in each of which base and head are timed one after the other.\n"

var setsTitle = map[string]string{
	"learn": "The learning set", "frozen": "The frozen set", "v100": "Another GPU", "planted": "The Python examples", "blind": "A blind set in Triton",
}

// setsText says of each set how far it is a test.
var setsText = map[string]string{
	"learn": "The rules were adjusted on these, so what they make of them is no measure of what they make of others.",
	"v100": "Reports that others made public, of a Tesla V100 with Nsight Compute 2022.2 and all sections. Nobody here ran the code, so what is explained is\n" +
		"the ratio of the profiles. What was expected was written down before they were read. Reports of Ampere, Ada and others were read too, and cannot be\n" +
		"kept here: [public.md](public.md).",
	"frozen": "Profiled after a commit had frozen the rules. As they were then they had **22 right, 5 acceptable, 2 wrong and 1 unexplained of 30**, and\n" +
		"blamed none of 22 A/A pairs: 90 % right or acceptable, which was the goal, and 7 % wrong, where the goal was 3 %. That is the figure that says\n" +
		"how often the rules are right. Then they were mended on what this set had shown, so it is **spent**: the table is what the rules of today make\n" +
		"of it, and no measure. What was wrong then, and what was mended:\n\n" +
		"- text_histogram, expected `atomic-contention`, named `bank-conflicts` (108 %): shared wavefronts, over ideal 25.8 → 31.97; shared wavefronts 2.724e+05 →\n" +
		"  6.711e+07; L1, of peak 0.09 → 0.99. Nsight has repeated wavefronts of atomics and of bank conflicts in one number. Now they are told apart by the\n" +
		"  number of instructions of each kind and by what one instruction can repeat at most.\n" +
		"- lookup, expected `constant-cache`, named `mio-stall` (99 %): stall: queue to shared memory 15.55 → 397.9. No rule read the cache for constants at an\n" +
		"  index, which was at 98 % of its peak. It is a unit like the others now.\n" +
		"- prefetch, expected `memory-latency-stall` or `barrier-stall`, unexplained: `barrier-stall` had 44 %. Warps that are ready and not selected waited only\n" +
		"  since there were twice as many of them; that is set off against their number now, before other waits are.\n\n" +
		"In the same run four profiles took 3.6 s with the chosen sections and metrics, and 10.3 s with `--set full`; 34 passes a kernel, as before the freeze,\n" +
		"took 1.4 s each, and these 0.5 s. Fewer are collected since: [passes.md](passes.md).",
	"planted": "Faults of ours in Triton and CuPy, whose causes were written down before this recording. Five had been seen in runs of the gate before. Of those, strided of\n" +
		"softmax was named `short-scoreboard-stall`, and one rule was made for it: accesses to shared memory wait behind those to global memory. No pair of the\n" +
		"other sets changed by that.\n\n" +
		"- softmax with fault=3 (rows through memory once more) loads and stores twice the bytes, and `l1-traffic` is named for it, which the list had not foreseen.\n" +
		"- layernorm with fault=2 (reads again): an offset that the compiler does not know made each load one of 2 bytes, 16 bytes apart in a warp. That is\n" +
		"  `uncoalesced`, and was not foreseen either.\n" +
		"- attention with fault=1 (no pipeline): the autotuner chose another configuration under the profiler than in the timed processes. In a run of the gate a\n" +
		"  profile has the timed one since; this recording is of before.",
	"blind": "Fourteen kernels of ours, written for this, with what is expected of each; profiled once, after a commit had frozen the rules, and no rule was changed\n" +
		"since. So this is a measure: of mistakes in Triton that are ours, where other sets have those of others. What was wrong, as far as it is understood:\n\n" +
		"- column_softmax: a column in a program of its own takes reductions through shared memory as well, which are most of what was added there, and are named for waits\n" +
		"  that the loads of whole rows apart cause.\n" +
		"- activation: the narrow accesses took more registers; two causes share the change, and the occupancy had more of it.\n" +
		"- column_sums: Triton's additions come with a memory fence each, at which warps wait: `fence-stall` was named, where the additions are why.\n" +
		"- ragged: its profile is 6 % faster where the clock saw 14 % slower. In which order programs come to multiprocessors differs under a profiler, and was not looked into.",
}
