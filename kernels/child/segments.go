package child

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/kernels/sandbox"
)

// segment is a piece of System V's shared memory. It belongs to no process and no file: it stays when its makers are gone.
type segment struct {
	id, creator, last, attached int // creator and last: the processes that made it, and that attached or detached it last
	bytes                       int64
}

const segmentList = "/proc/sysvipc/shm"

// ownSegments are those that this user has made.
func ownSegments() map[int]segment {
	text, err := os.ReadFile(segmentList)
	if err != nil {
		return nil // a kernel without them
	}
	found := map[int]segment{}
	for line := range strings.Lines(string(text)) {
		// key shmid perms size cpid lpid nattch uid gid cuid …
		fields := strings.Fields(line)
		if len(fields) < 10 || fields[9] != strconv.Itoa(os.Geteuid()) {
			continue
		}
		var s segment
		var key, perms string
		if _, err := fmt.Sscan(line, &key, &s.id, &perms, &s.bytes, &s.creator, &s.last, &s.attached); err == nil {
			found[s.id] = s
		}
	}
	return found
}

// SegmentsLeft is what children of this program have left in System V's memory so far.
type SegmentsLeft struct {
	Removed int
	Bytes   int64 // of those that were removed
	// Strays are those that appeared meanwhile, are not in use, and whose maker ended before it was seen whose child it was. They may
	// belong to another program of the user, and stay.
	Strays []int
}

var segmentsLeft struct {
	sync.Mutex
	SegmentsLeft
}

// Segments is what children have left so far.
func Segments() SegmentsLeft {
	segmentsLeft.Lock()
	defer segmentsLeft.Unlock()
	now := segmentsLeft.SegmentsLeft
	now.Strays = slices.Clone(now.Strays)
	return now
}

// segmentLook is how often a child's segments are looked for: often enough to see who is below it while that is alive.
const segmentLook = 200 * time.Millisecond

// segments tells the segments that a child and those below it make from those of the user's other programs.
type segments struct {
	family  family // once the child has started
	before  map[int]segment
	theirs  map[int]segment
	judged  map[int]bool   // those that were there when the family was last looked at
	watched sync.WaitGroup // until the child has ended
}

// newSegments comes before the child can make any.
func newSegments() *segments {
	return &segments{before: ownSegments(), theirs: map[int]segment{}, judged: map[int]bool{}}
}

// look finds new segments of the child's and says how many bytes all of them have.
func (s *segments) look() (bytes int64) {
	now := ownSegments()
	unknown := false
	for id, found := range now {
		if _, old := s.before[id]; !old {
			unknown = unknown || !s.family.seen[found.creator] && !s.judged[id]
			s.judged[id] = true
		}
	}
	if unknown {
		s.family.look() // which costs more than the list: only where there is something to tell
	}
	for id, found := range now {
		_, old := s.before[id]
		if _, known := s.theirs[id]; !old && !known && (s.family.seen[found.creator] || s.family.seen[found.last]) {
			s.theirs[id] = found
			found.note()
		}
	}
	for id, found := range s.theirs {
		if _, exists := now[id]; exists {
			bytes += found.bytes
		}
	}
	return bytes
}

// noted is where a supervised process writes down whose segments it has to remove, in its private folder: were it killed, its supervisor
// would.
const noted = "segments"

func (s segment) note() {
	if Scratch() == "" {
		return
	}
	f, err := os.OpenFile(filepath.Join(Scratch(), noted), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	fmt.Fprintln(f, s.id, s.creator, s.bytes)
	f.Close()
}

// removeNoted takes away the segments that a worker noted in its folder and did not remove.
func removeNoted(scratch string) {
	text, err := os.ReadFile(filepath.Join(scratch, noted))
	if err != nil {
		return
	}
	now := ownSegments()
	for line := range strings.Lines(string(text)) {
		var s segment
		if n, _ := fmt.Sscan(line, &s.id, &s.creator, &s.bytes); n != 3 {
			continue
		}
		if found, exists := now[s.id]; exists && found.creator == s.creator && found.bytes == s.bytes {
			_, _ = unix.SysvShmCtl(s.id, unix.IPC_RMID, nil)
		}
	}
}

// remove takes away what is left of the child's. One that another process has attached goes when it is detached.
func (s *segments) remove() {
	s.look()
	segmentsLeft.Lock()
	defer segmentsLeft.Unlock()
	for id, found := range s.theirs {
		if _, err := unix.SysvShmCtl(id, unix.IPC_RMID, nil); err == nil {
			segmentsLeft.Removed++
			segmentsLeft.Bytes += found.bytes
		}
	}
	for id, found := range ownSegments() {
		if _, old := s.before[id]; !old && found.attached == 0 && isZombie(found.creator) && !slices.Contains(segmentsLeft.Strays, id) {
			segmentsLeft.Strays = append(segmentsLeft.Strays, id)
		}
	}
}

// makesSegments says whether a child can make segments: the sandbox forbids them where the kernel lets it.
func (s Spec) makesSegments() bool { return s.Sandbox == nil || !sandbox.Seccomp() }

// limit looks for the child's segments, and whether they are larger than most; 0 is no limit.
func (s *segments) limit(most int64) func() Limit {
	return func() Limit {
		if bytes := s.look(); most > 0 && bytes > most {
			return OverShared
		}
		return ""
	}
}
