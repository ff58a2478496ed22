package child

// family tells the processes that a child has started from all others.
type family struct {
	root  int          // the process that all are below
	group int          // that it leads; 0 where others may be in it
	seen  map[int]bool // the root, and all that were ever seen below it
}

// newFamily is that of a child, which leads its process group.
func newFamily(child int) family { return family{root: child, group: child, seen: map[int]bool{}} }

// look adds the processes below the root, and those of its group, and returns those of the family that live.
func (f *family) look() (alive []int) {
	f.seen[f.root] = true
	parents := map[int]int{}
	for _, p := range processStats(allProcesses()) {
		parents[p.pid] = p.parent
		if f.group != 0 && p.group == f.group {
			f.seen[p.pid] = true
		}
	}
	for pid := range parents {
		for up := pid; up > 1 && !f.seen[pid]; up = parents[up] {
			if f.seen[parents[up]] {
				f.seen[pid] = true
			}
		}
		if f.seen[pid] {
			alive = append(alive, pid)
		}
	}
	return alive
}
