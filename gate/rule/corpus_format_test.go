package rule_test

// The inputs of the corpus. They are plain: names of sides are letters, A of base, B of head, R, S and T of competitors, and what is not
// said is 0 or "". How they become what the rule takes today is in corpus_run_test.go and what follows it.

// policy is what the gate tolerates. An entry without one is judged by that of a configuration that says nothing.
type policy struct {
	Tolerance      float64  `json:"tolerance"`
	Improvement    float64  `json:"improvement"`
	Confidence     float64  `json:"confidence"`
	OnInconclusive string   `json:"onInconclusive"`
	Cases          int      `json:"cases"`
	PlannedLooks   int      `json:"plannedLooks"`
	Rule           int      `json:"rule"`
	MinSpeedups    int      `json:"minSpeedups"`
	Competitors    int      `json:"competitors"`
	NeedsBase      bool     `json:"needsBase"`
	Suite          float64  `json:"suite"` // tolerance of the geometric mean of all cases
	Worst          float64  `json:"worst"` // slowdown that a trade has to exclude
	Waivers        []waiver `json:"waivers"`
	Day            string   `json:"day"` // of the run
	Goals          []goal   `json:"goals"`
}

// goal is a speedup over a competitor that some cases are to have.
type goal struct {
	Speedup  float64 `json:"speedup"`
	Over     string  `json:"over"`
	Cases    int     `json:"cases"`
	Required bool    `json:"required"`
}

// waiver lets cases be slower, until a day.
type waiver struct {
	Cases     string  `json:"cases"`
	Until     string  `json:"until"`
	Tolerance float64 `json:"tolerance"`
}

// run is what one machine measured, before anything is decided.
type run struct {
	Policy  *policy  `json:"policy"`
	Machine string   `json:"machine"`
	Shard   [2]int   `json:"shard"` // index from 1, and of how many; 0 of the whole plan
	Head    string   `json:"head"`  // commit, where it matters
	Kernels []kernel `json:"kernels"`
	Cases   []oneOf  `json:"cases"`
	Idle    string   `json:"idle"` // of a part without kernels and cases: why there was nothing to do
	// Accept has patterns of cases whose regressions a person takes the responsibility for, and why.
	Accept []string `json:"accept"`
	Held   bool     `json:"held"`   // asks for the tolerance that the run holds
	FailOn []string `json:"failOn"` // asks for the exit codes of jobs with these words
	// Claims are verdicts that the run claims for cases, or for competitors behind their case, in place of those that its samples come to, and then
	// to pass.
	Claims map[string]string `json:"claims"`
}

// kernel is what became of one.
type kernel struct {
	Name        string       `json:"name"`
	Status      string       `json:"status"`
	Reason      string       `json:"reason"`
	Adapter     string       `json:"adapter"` // why the adapter that head is given does not build against it
	Base        *build       `json:"base"`
	Head        *build       `json:"head"`
	Parity      parity       `json:"parity"`
	Limits      []limit      `json:"limits"`
	Skipped     bool         `json:"skipped"`
	Uncompared  []uncompared `json:"uncompared"`
	Environment *environment `json:"environment"`
	Benchmark   *benchmark   `json:"benchmark"`
	Competitors []competitor `json:"competitors"`
}

type environment struct {
	Only     bool `json:"only"`
	Packages int  `json:"packages"` // that differ
}

type build struct {
	Code   string `json:"code"` // fingerprint of what was built
	Failed bool   `json:"failed"`
	Cause  string `json:"cause"`
}

type parity struct {
	Status string `json:"status"`
	Side   string `json:"side"` // with an error: who made the check impossible
	Reason string `json:"reason"`
	Run    int    `json:"run"`
	Code   string `json:"code"` // of a failure: what was wrong
}

type limit struct {
	Key      string `json:"key"`
	Function string `json:"function"`
	Needs    int64  `json:"needs"`
	Limit    int64  `json:"limit"`
	Over     int    `json:"over"`
}

type uncompared struct {
	Reason   string `json:"reason"`
	Only     bool   `json:"only"`
	Approved bool   `json:"approved"`
}

type benchmark struct {
	Format   string `json:"format"`
	OurClock bool   `json:"ourClock"`
}

// competitor is an implementation that is measured beside both sides of a kernel.
type competitor struct {
	Name       string  `json:"name"`
	MinSpeedup float64 `json:"minSpeedup"` // head has to be so many times as fast; 0: nothing is asked
	Status     string  `json:"status"`
	Adapter    string  `json:"adapter"`
}

// oneOf is a case of a kernel.
type oneOf struct {
	Name         string  `json:"name"`
	Kernel       string  `json:"kernel"`
	Timer        *timer  `json:"timer"`
	Rounds       []round `json:"rounds"`
	BudgetGone   bool    `json:"budgetGone"`
	BudgetNeeded float64 `json:"budgetNeeded"`
	// Verdict is that of a case of which nothing is measured, or what is given beside it.
	Verdict     string   `json:"verdict"`
	Side        string   `json:"side"` // with an error: who is at fault
	Code        string   `json:"code"` // with an error: what was wrong
	Reason      string   `json:"reason"`
	Given       *given   `json:"given"`
	Record      *stored  `json:"record"`
	Best        *beside  `json:"best"`
	WithinBest  bool     `json:"withinBest"`  // it has done without its waiver for a while
	Competitors []versus `json:"competitors"` // in the order of their letters
}

// timer is how launches are timed.
type timer struct {
	Clock    string  `json:"clock"`
	Launches int     `json:"launches"`
	LaunchNS float64 `json:"launchNs"`
	StepNS   float64 `json:"stepNs"`
}

// round has the processes of one, in the order in which they ran. NS are their values, or Samples the launches that these are made of.
type round struct {
	Order   string      `json:"order"`
	NS      []float64   `json:"ns"`
	Samples [][]float64 `json:"samples"`
	Elapsed []float64   `json:"elapsed"` // of all launches, waits included; missing where it is NS
	Waited  []float64   `json:"waited"`
	Beyond  []float64   `json:"beyond"` // what an external timing check saw beside NS
	CPU     []float64   `json:"cpu"`    // of a benchmark's processes, which say that they measured NS
	Most    []float64   `json:"most"`   // the largest sample, where it is not what NS and Elapsed need
}

// given is what looks came to, as numbers, where no rounds are at hand.
type given struct {
	Looks    int         `json:"looks"`
	Compared *comparison `json:"comparison"`
}

// beside are rounds of head beside a build of its best-known level, of which so much may be lost.
type beside struct {
	Limit  float64 `json:"limit"`
	Rounds []round `json:"rounds"`
}

// versus is what is measured beside a competitor of a case.
type versus struct {
	Name       string  `json:"name"`
	MinSpeedup float64 `json:"minSpeedup"`
	BudgetGone bool    `json:"budgetGone"`
	// Verdict is that of one which could not be measured, or what is given beside it.
	Verdict  string      `json:"verdict"`
	Compared *comparison `json:"comparison"`
}

// comparison is head against base, in log units, as an input and as an answer.
type comparison struct {
	Rounds       int     `json:"rounds,omitempty"`
	Theta        number  `json:"theta,omitempty"`
	Low          number  `json:"low,omitempty"`
	High         number  `json:"high,omitempty"`
	PassHigh     number  `json:"passHigh,omitempty"`
	Boot95Low    number  `json:"boot95Low,omitempty"`
	Boot95High   number  `json:"boot95High,omitempty"`
	S            number  `json:"s,omitempty"`
	SE           number  `json:"se,omitempty"`
	Delta        number  `json:"delta,omitempty"`
	DeltaLow     number  `json:"deltaLow,omitempty"`
	DeltaHigh    number  `json:"deltaHigh,omitempty"`
	MDE          number  `json:"mde,omitempty"`
	RoundsNeeded int     `json:"roundsNeeded,omitempty"`
	Tick         number  `json:"tick,omitempty"`
	Floored      bool    `json:"floored,omitempty"`
	Suspect      *far    `json:"suspect,omitempty"`
	Elapsed      *waited `json:"elapsed,omitempty"`
}

// far are processes of one side that are far slower than all others.
type far struct {
	Side      string `json:"side,omitempty"`
	Processes int    `json:"processes,omitempty"`
	Of        int    `json:"of,omitempty"`
	Shift     number `json:"shift,omitempty"`
}

// waited compares elapsed times.
type waited struct {
	Theta  number `json:"theta,omitempty"`
	Low    number `json:"low,omitempty"`
	High   number `json:"high,omitempty"`
	Excess number `json:"excess,omitempty"` // what head waits beyond base, over base's time
	BaseNS number `json:"baseNs,omitempty"`
	HeadNS number `json:"headNs,omitempty"`
}
