package machine

import (
	"cmp"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/org/perfgate/gate/text"
)

// ticket is a place in the queue for a device, by the name of its file. Names are anybody's word; only a ticket in use counts.
type ticket struct {
	name, device string
	number       int64
	use          Use
	pid          int
}

// mostNumber is the last one that ticketName takes.
const mostNumber = 999_999_999_999_999_999

var ticketName = text.Pattern(`^([0-9]{1,18})\.(` + string(Alone) + `|` + string(Launches) + `|` + string(Untimed) + `)\.([0-9]{1,9})$`)

func newTicket(device string, number int64, use Use) ticket {
	pid := os.Getpid()
	return ticket{fmt.Sprintf("perfgate-%s.ticket.%d.%s.%d", device, number, use, pid), device, number, use, pid}
}

func (t ticket) path() string { return filepath.Join(LockDir(), t.name) }

// tickets are those of a device, in order.
func tickets(device string) (all []ticket) {
	entries, _ := os.ReadDir(LockDir())
	for _, e := range entries {
		place, is := strings.CutPrefix(e.Name(), "perfgate-"+device+".ticket.")
		if m := ticketName().FindStringSubmatch(place); is && m != nil {
			number, _ := strconv.ParseInt(m[1], 10, 64) // at most 18 digits
			pid, _ := strconv.Atoi(m[3])
			all = append(all, ticket{e.Name(), device, number, Use(m[2]), pid})
		}
	}
	slices.SortFunc(all, func(a, b ticket) int { return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.name, b.name)) })
	return all
}

// inUse are those of a device that living processes have.
func inUse(device string) []ticket {
	return slices.DeleteFunc(tickets(device), func(t ticket) bool { return !t.isInUse() })
}

// isInUse says whether a living process has a ticket. One that cannot be opened is no ticket of a perfgate, whose tickets all may read.
func (t ticket) isInUse() bool {
	f, err := os.OpenFile(t.path(), os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return false
	}
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) == syscall.EWOULDBLOCK
}

// holder says who has a ticket, and for how long it has been its turn, with so many between it and who asks.
func (t ticket) holder(between int) string {
	said := fmt.Sprintf("process %d", t.pid)
	if info, err := os.Lstat(t.path()); err == nil {
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
			said += " of " + userNamed(stat.Uid)
		}
		doing := "measuring"
		if t.use == Untimed {
			doing = "building"
		}
		said += " has been " + doing + " for " + max(0, time.Since(info.ModTime())).Round(time.Second).String()
	}
	if between > 0 {
		said += fmt.Sprintf(", %d more before this run", between)
	}
	return said
}

func userNamed(id uint32) string {
	name := strconv.FormatUint(uint64(id), 10)
	if known, err := user.LookupId(name); err == nil {
		return known.Username
	}
	return "user " + name
}
