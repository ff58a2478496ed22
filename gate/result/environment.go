package result

// Environment says how the environments differ that the sides of a kernel were built and run with.
type Environment struct {
	Base     string          `json:"base,omitempty"`     // names all that base's was made of; missing where base has what is installed
	Head     string          `json:"head,omitempty"`     // the same of head
	Packages []PackageChange `json:"packages,omitempty"` // packages of Python that differ, at most 32, as installers wrote them down: untrusted
	Count    int             `json:"count"`              // packages that differ in all
	Only     bool            `json:"only,omitempty"`     // nothing differs of the repository that base asked for, but for lists of packages
}

// PackageChange is a package that is not the same on both sides. A version is "" where the package is not there; both may be equal, and what it consists of
// differ.
type PackageChange struct {
	Name string `json:"name"`           // of the package
	Base string `json:"base,omitempty"` // base's version; missing where base does not have it
	Head string `json:"head,omitempty"` // head's version; equal to base's where only its files differ
}

// String is "fastdep 1.0 → 1.1".
func (p PackageChange) String() string {
	switch {
	case p.Base == "":
		return p.Name + " " + p.Head + " added"
	case p.Head == "":
		return p.Name + " " + p.Base + " removed"
	case p.Base == p.Head:
		return p.Name + " " + p.Base + " rebuilt"
	}
	return p.Name + " " + p.Base + " → " + p.Head
}

// Changes are the packages that differ, in words that tools have.
func (e *Environment) Changes() []string {
	var names []string
	for _, p := range e.Packages {
		names = append(names, p.String())
	}
	return names
}
