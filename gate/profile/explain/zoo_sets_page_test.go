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

// setsText says of each set how far it is a test.
var setsText = map[string]string{
	"learn": "The rules were adjusted on these, so what they make of them is no measure of what they make of others.",
	"v100": "Reports that others made public, of a Tesla V100 with Nsight Compute 2022.2 and all sections. Nobody here ran the code, so what is explained is\n" +
		"the ratio of the profiles. What was expected was written down before they were read. Of Ampere and Ada no report and no raw page could be found\n" +
		"that has more than a few metrics: what is public are tests' own texts, empty files, and one report of an L4 that the copies of its repository lack.",
	"frozen": "Profiled after a commit had frozen the rules. As they were then they had **22 right, 5 acceptable, 2 wrong and 1 unexplained of 30**, and\n" +
		"blamed none of 22 A/A pairs: 90 % right or acceptable, which was the goal, and 7 % wrong, where the goal was 3 %. Wrong were text_histogram\n" +
		"(additions to one place in shared memory taken for bank conflicts) and lookup (no rule reads the constant cache). From the first rule that is\n" +
		"mended for these on, the set is spent. The table is what the rules of today make of it. In the same run four profiles took 3.6 s with the\n" +
		"chosen sections and metrics, and 10.3 s with `--set full`; 34 passes a kernel, as before the freeze, took 1.4 s each, and these 0.5 s.",
}
