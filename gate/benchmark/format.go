package benchmark

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/org/perfgate/gate/result"
)

// Format is how a kind of benchmark is asked for its cases, and how its answer is read.
type Format interface {
	Traits() Traits
	// Command is how a process of the benchmark is started for a.
	Command(s Spec, a Ask) Command
	// Read reads what that process left. Its error says what is wrong, and where.
	Read(s Spec, o Output) (Set, error)
}

// Profiled is a Format whose programs can show a profiler one launch of one case: the process starts and stops the profiler around it.
type Profiled interface {
	// Profile is how a process is started that does so, once, for a row as the first run had it.
	Profile(s Spec, a Ask, row Case) Command
	// Narrows says whether a process can be asked for one row alone: a command may name what it runs itself.
	Narrows(s Spec) bool
}

// Ahead is a Format whose processes can start before it is known what they are asked.
type Ahead interface {
	// Ahead is how a process is started that imports packages and then reads its question, all of its input.
	Ahead(s Spec, a Ask, packages []string) Command
	// Question is that input.
	Question(s Spec, a Ask) string
}

// Traits are what a format is, as data.
type Traits struct {
	Name     string   // as the configuration and "timed by NAME" have it
	OurClock bool     // perfgate's own methods time its cases, found by a process of base; else the program's clock does
	Lists    bool     // asked for a list it times nothing; else a process runs whole to be listed
	CUDA     bool     // it needs a GPU unless the configuration says otherwise
	Script   bool     // it is given by a script and not by a command
	Python   bool     // an interpreter runs it
	Filters  bool     // a process that is asked for some rows runs these and hardly others
	OwnClock bool     // the clock is the user's choice, and may be the CPU time of all threads
	Times    []string // which of its times may rule, the default first; nil where there is one

	Shorter []Shortening // tried in this order where a process takes too long
}

// Filed is a Format with files of its own, which are laid out once a run in the folder that Ask.Support names.
type Filed interface{ Files() fs.FS }

// Spec is a benchmark as the configuration has it; its tags are package config's.
type Spec struct {
	Command     string   `key:"command" is:"script"`          // how it is started; perfgate appends its options. Required, but for triton
	Script      string   `key:"script" is:"file"`             // script of triton, run with the kernel's python
	Args        []string `key:"args" is:"line" repeats:"yes"` // of the script
	Python      string   // interpreter of the script; "" means python3
	Time        string   `key:"time" is:"line"`        // which of its times counts: cold or batch, real or cpu (default the first)
	Table       *Mapping `key:"csv"`                   // columns of a table that the program prints (default kernel,case,ns)
	Competitors []string `key:"competitors" is:"rows"` // for triton: rows of a library, which are competitors instead of cases
	Kernel      string   `key:"kernel" is:"line"`      // regular expression for its functions on the GPU, for Nsight Compute
}

// Mode is what a process is asked for.
type Mode string

// What a process is asked for.
const (
	List      Mode = "list"      // which cases there are
	Calibrate Mode = "calibrate" // a method for each case, of formats with OurClock
	Measure   Mode = "measure"   // times
	Profile   Mode = "profile"   // one launch of one case, for a profiler
)

// Ask is what one process is asked for.
type Ask struct {
	Mode    Mode
	Cases   []string                 // rows, as a list gave them; nil means all
	Known   []Case                   // rows of the side's first run, by which some of them can be chosen; nil where there was none
	Wanted  []string                 // with List, patterns of rows, which a format may ask for more than; nil means what the format thinks fit, of formats with many
	Methods map[string]result.Method // by row, of formats with OurClock; with Calibrate base's, when head is asked what both can do
	Out     string                   // folder of this process, empty: the answer goes there
	Support string                   // folder with the format's own files
	Seed    uint64
}

// Command is how a process is started: a line for sh, with Args appended to it as they are.
type Command struct {
	Line string
	Args []string
	Env  []string // NAME=value, on top of a scrubbed environment
}

// Output is what a process left.
type Output struct {
	Folder fs.FS // what was Ask.Out
	Stdout string
	Cut    bool // Stdout is not all that was printed
	Lived  time.Duration
}

// formats are all that there are, by name.
var formats = []Format{
	criterion{}, csvTable{}, nvbench{python: true}, goBench{}, googleBenchmark{}, hyperfine{}, nvbench{}, pytestBenchmark{}, tritonScript{},
}

// Names are the formats, as the configuration has them.
func Names() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.Traits().Name)
	}
	return names
}

// Named is the format of a name.
func Named(name string) (Format, bool) {
	i := slices.IndexFunc(formats, func(f Format) bool { return f.Traits().Name == name })
	if i < 0 {
		return nil, false
	}
	return formats[i], true
}

// Variables of the environment of every benchmark: where its answer may be written, and the rows that it is asked for, a line each.
const (
	OutVariable   = "PERFGATE_BENCH_OUT"
	CasesVariable = "PERFGATE_BENCH_CASES"
)

// MostArgument is how long an argument or a variable may be, in bytes: Linux takes 128 KiB. Where the rows that a process is asked for do not fit, it
// is not asked for any, and runs all.
const MostArgument = 100_000

// asks is a command with what all formats tell a process.
func asks(s Spec, a Ask, file string, args ...string) Command {
	env := []string{OutVariable + "=" + file, "PYTHONDONTWRITEBYTECODE=1"}
	if names := strings.Join(a.names(), "\n"); names != "" && len(names) <= MostArgument {
		env = append(env, CasesVariable+"="+names)
	}
	return Command{Line: s.Command, Args: args, Env: env}
}

// names are the rows that are asked for by name: those of a list too, where patterns are names.
func (a Ask) names() []string {
	if len(a.Cases) > 0 || slices.ContainsFunc(a.Wanted, func(p string) bool { return len(pieces(p)) > 1 }) {
		return a.Cases
	}
	return a.Wanted
}

const (
	jsonAnswer = "bench.json"
	csvAnswer  = "bench.csv"
)

// MaxAnswer is the largest answer that is read, in bytes: a row takes a hundred, a sample ten.
const MaxAnswer = 64 << 20

// ErrNothing says that a process ended well and left no answer.
var ErrNothing = errors.New("it ended well and wrote no result")

// answer is the file that a process left, nil where it left none.
func (o Output) answer(name string) ([]byte, error) {
	info, err := fs.Stat(o.Folder, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("the result %s cannot be read: %w", name, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("the result %s is not a file", name)
	case info.Size() > MaxAnswer:
		return nil, fmt.Errorf("the result %s has %d MiB, and no more than %d MiB are read: let it write fewer samples or cases", name, info.Size()>>20, MaxAnswer>>20)
	}
	f, err := o.Folder.Open(name)
	if err != nil {
		return nil, fmt.Errorf("the result %s cannot be read: %w", name, err)
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxAnswer))
}

// jsonFile is the JSON that a process was asked for.
func (o Output) jsonFile() ([]byte, error) {
	data, err := o.answer(jsonAnswer)
	if err == nil && len(data) == 0 {
		err = ErrNothing
	}
	return data, err
}

// jsonOf is that of a program that was asked for it by an argument.
func (o Output) jsonOf(argument string) ([]byte, error) {
	data, err := o.jsonFile()
	if errors.Is(err, ErrNothing) {
		err = fmt.Errorf(`%w: perfgate puts %s behind the command, so the benchmark has to be the last in it, and a script to hand on "$@"`, err, argument)
	}
	return data, err
}

// maxRow is the longest name of a row, in bytes.
const maxRow = 200

// nameRows makes failures of rows whose names cannot be told apart or shown: the others are cases all the same.
func (s *Set) nameRows() error {
	index := map[string]int{}
	var cases []Case
	for _, c := range s.Cases {
		if c.Line != "" {
			if err := checkName("a line", c.Line); err != nil {
				return err
			}
		}
		if err := checkName("the case", c.Name); err != nil {
			c.Failed, c.Skipped = err.Error(), false
			c.Name = fmt.Sprintf("%s#%08x", Quoted(c.Name), crc32.ChecksumIEEE([]byte(c.Name)))
		}
		if i, again := index[c.Name]; again {
			cases[i].Failed, cases[i].Skipped = "two cases of the benchmark have this name", false
			continue
		}
		index[c.Name] = len(cases)
		cases = append(cases, c)
	}
	s.Cases = cases
	return nil
}

func checkName(what, name string) error {
	switch {
	case name == "" || strings.TrimSpace(name) != name:
		return fmt.Errorf("%s is called %s: a name has no blanks at its ends, and is not empty", what, Quoted(name))
	case len(name) > maxRow:
		return fmt.Errorf("%s has a name of %d bytes, at most %d are allowed: %s", what, len(name), maxRow, Quoted(name))
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Errorf("the name of %s, %s, has characters that cannot be shown", what, Quoted(name))
	}
	return nil
}

// Read reads the answer of a process by its format.
func Read(f Format, s Spec, o Output) (Set, error) {
	set, err := f.Read(s, o)
	if err != nil {
		return Set{}, err
	}
	set.settleZeros()
	return set, set.nameRows()
}
