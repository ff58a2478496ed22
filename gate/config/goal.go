package config

// Goal is a speedup over a competitor that is wanted in some cases, whichever they are.
type Goal struct {
	Speedup  float64 `key:"speedup" is:"factor" required:"yes"` // how many times as fast as the competitor
	Over     string  `key:"over" is:"name" required:"yes"`      // name of a competitor, of all kernels that have it
	Cases    int     `key:"cases" is:"wanted" required:"yes"`   // how many cases must reach it
	Required bool    `key:"required" is:"true"`                 // a run that misses it fails
}

// checkGoals checks that competitors can answer what is wanted.
func (c *Config) checkGoals(d *decoder) {
	for i, g := range c.Goals {
		found := false
		for _, k := range c.Kernels {
			for _, r := range k.Competitors {
				if found = found || r.Name == g.Over; r.Name == g.Over && r.When == WhenRecord {
					d.failAt(join(index("goals", i), "over"), "when: changed, or always", "no run measures %s of kernel %s, which has when: record", quoted(g.Over), quoted(k.Name))
				}
			}
		}
		if !found {
			d.failAt(join(index("goals", i), "over"), "", "no kernel has a competitor %s", quoted(g.Over))
		}
	}
}
