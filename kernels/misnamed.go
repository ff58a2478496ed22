package kernels

import (
	"context"
	"debug/elf"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/org/perfgate/gate/text"

	"github.com/ianlancetaylor/demangle"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/untrusted"
)

var declaration = text.Pattern(`\bPG_EXPORT\s+([^;]*?\b(pg_\w+)\s*\([^;]*\));`)

// signatures are the functions that an adapter may define, as perfgate.h declares them, by name.
var signatures = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, m := range declaration().FindAllStringSubmatch(string(Header()), -1) {
		all[m[2]] = strings.Join(strings.Fields(m[1]), " ")
	}
	return all
})

// headerWords are the names that perfgate.h itself has.
var headerWords = sync.OnceValue(func() map[string]bool { return words(string(Header())) })

// intended is the function of perfgate.h that a name stands for, exactly or nearly; "" where it stands for none. Digits tell names apart: they
// are types and sizes, and no slips.
func intended(name string) string {
	if signatures()[name] != "" {
		return name
	}
	if !strings.HasPrefix(strings.ToLower(name), "pg_") || headerWords()[name] {
		return ""
	}
	for _, entry := range slices.Sorted(maps.Keys(signatures())) {
		most := 1
		if len(entry) > len("pg_launch") {
			most = 2
		}
		if digits(name) == digits(entry) && Slips(plainName(name), plainName(entry)) <= most {
			return entry
		}
	}
	return ""
}

func digits(name string) string { return strings.Map(keepIf(unicode.IsDigit), name) }

// plainName is a name without what people write in several ways.
func plainName(name string) string {
	return strings.Map(keepIf(func(r rune) bool { return r != '_' }), strings.ToLower(name))
}

func keepIf(keep func(rune) bool) func(rune) rune {
	return func(r rune) rune {
		if keep(r) {
			return r
		}
		return -1
	}
}

// Slips counts the letters that are left out, added, exchanged or in each other's place (optimal string alignment), in bytes.
func Slips(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			other := 1
			if a[i-1] == b[j-1] {
				other = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+other)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

// functionName is the name of the function that a symbol of machine code is, without namespaces and arguments.
func functionName(symbol string) string {
	name, _, _ := strings.Cut(symbol, "@")
	if full, err := demangle.ToString(name, demangle.NoParams, demangle.NoTemplateParams, demangle.NoClones, demangle.NoEnclosingParams); err == nil {
		name = full[strings.LastIndex(full, "::")+1:]
		name = strings.TrimPrefix(name, ":")
	}
	return name
}

// misnamed says of names that an adapter defines, and of the functions that the harness finds in it, which one the harness was to find and does
// not; nil where there is none.
func misnamed(file string, defined []string, found func(name string) bool) error {
	slices.Sort(defined)
	for _, name := range defined {
		entry := intended(name)
		switch {
		case entry == "" || found(entry):
		case entry == name:
			return fmt.Errorf("%s of %s is not the function that perfgate calls: it needs C linkage, external and visible, and the signature that perfgate.h declares: %s", name, file, signatures()[entry])
		default:
			return fmt.Errorf("%s defines %s, which perfgate never calls. If it is to be %s, write %s; if not, rename it", file, name, entry, signatures()[entry])
		}
	}
	return nil
}

// functionsOf are the names of the functions that symbols define, of all linkages.
func functionsOf(symbols []elf.Symbol) []string {
	var names []string
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			names = append(names, functionName(s.Name))
		}
	}
	return names
}

// checkNames refuses an adapter that defines a function of perfgate.h in a way in which the harness does not find it: as an overload, in a
// namespace, static, hidden, or with a slip in its name. Without it, that function would be left out and nobody would know.
func (b *Builder) checkNames(ctx context.Context, s BuildSpec, u unit, own *object, entries []string, stage, out string) error {
	found := func(name string) bool { return slices.Contains(entries, name) }
	if err := misnamed(s.Adapter, functionsOf(own.symbols), found); err != nil {
		return s.unfit(err)
	}
	// What is static and never called is not in the object. The text is preprocessed only where it may have such a function.
	text, err := untrusted.Read(u.path, mostText)
	if err != nil {
		return fmt.Errorf("read the adapter: %w", err)
	}
	if misnamed(s.Adapter, definedIn(string(text)), found) == nil {
		return nil
	}
	t := newAdapterText(s)
	if err := b.readPass(ctx, &t, b.passes(s)[0], s, u, stage, out); err != nil {
		return err
	}
	if err := misnamed(s.Adapter, definedIn(t.files[s.Adapter]), found); err != nil {
		return s.unfit(err)
	}
	return nil
}

var anyDefinition = text.Pattern(`\b(pg_\w+)\s*\([^;{}]*\)[^;{}()=,?]*\{`)

// definedIn are names that the text of a file may define as functions.
func definedIn(text string) []string {
	var names []string
	for _, m := range anyDefinition().FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}

func (s BuildSpec) unfit(err error) error {
	return &BuildError{Kernel: s.Kernel, Cause: result.CauseAdapter, Err: err}
}

// checkExported refuses a library in which functions that its adapter defines cannot be found, as one whose linker script leaves them out. Of one that
// a command made there are only the symbols to say what is defined, which a stripped one has fewer of.
func (s BuildSpec) checkExported(library string, defined []string) error {
	f, err := openLibrary(library)
	if err != nil {
		return err
	}
	defer f.Close()
	symbols, err := symbolsOf(library, f.DynamicSymbols)
	if err != nil {
		return err
	}
	exported := map[string]bool{}
	for _, one := range symbols {
		if kind := elf.ST_TYPE(one.Info); one.Section != elf.SHN_UNDEF && (kind == elf.STT_FUNC || kind == elf.STT_GNU_IFUNC) {
			exported[one.Name] = true
		}
	}
	file := s.Adapter
	if s.Command != "" {
		file = s.Output
		all, err := symbolsOf(library, f.Symbols, f.DynamicSymbols)
		if err != nil {
			return err
		}
		defined = functionsOf(all)
	}
	if err := misnamed(file, defined, func(name string) bool { return exported[name] }); err != nil {
		return s.unfit(err)
	}
	return nil
}
