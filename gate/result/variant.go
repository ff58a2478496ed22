package result

// Role is what a variant is to a comparison.
type Role string

// Roles of variants.
const (
	RoleBase          Role = "base"
	RoleHead          Role = "head"
	RoleCompetitor    Role = "competitor"
	RoleConfiguration Role = "configuration" // head with values of its tuning parameters
	RoleBestKnown     Role = "best-known"    // a build of the commit with the best-known level
	RoleRecord        Role = "record"        // stored records of base's code: no process of this run is theirs
)

// Variant names what is built and timed of a kernel. Result.Base and Result.Head have the revisions and flags of both sides, Kernel.Base, Kernel.Head and
// Kernel.Competitors the builds.
type Variant struct {
	Role Role   `json:"role"`           // what it is to the comparison
	Name string `json:"name,omitempty"` // of a competitor its name, of a configuration its values, of best-known and record the commit
}

// The two sides of a kernel. In a result of versus, head is A, and B is a competitor; in one of tune, head is the kernel as it is shipped.
var (
	VariantBase = Variant{Role: RoleBase}
	VariantHead = Variant{Role: RoleHead}
)

// CompetitorNamed is the competitor of that name.
func CompetitorNamed(name string) Variant { return Variant{RoleCompetitor, name} }

// ConfigurationNamed is the configuration of those values.
func ConfigurationNamed(values string) Variant { return Variant{RoleConfiguration, values} }

// Variant is the variant of a side that is one.
func (s Side) Variant() Variant { return Variant{Role: Role(s)} }

// Side is the side that a variant is, SideNone of others.
func (v Variant) Side() Side {
	if v == VariantBase || v == VariantHead {
		return Side(v.Role)
	}
	return SideNone
}

// String is the name of a variant where it has one, else its role.
func (v Variant) String() string {
	if v.Name != "" {
		return v.Name
	}
	return string(v.Role)
}

// Purpose is what processes were started for, where it was not the rounds of all variants.
type Purpose string

// Purposes of processes.
const (
	PurposeRounds    Purpose = ""
	PurposeScreening Purpose = "screening"  // head only, to be compared with records
	PurposeBestKnown Purpose = "best-known" // rounds of head and a build of the best-known commit
)
