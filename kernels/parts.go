package kernels

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/untrusted"
)

// Parts are hashes of what a build consists of: the GPU's code, and the host's by whose file it is. An empty one is not known.
type Parts struct{ Device, Host, Adapter string }

// deviceSections hold what the GPU runs; aboutDevice say where that lies and which build made it.
var (
	deviceSections = []string{".nv_fatbin", "__nv_relfatbin"}
	aboutDevice    = []string{".nvFatBinSegment", "__nv_module_id", ".note.gnu.build-id", ".note.gnu.property", ".eh_frame"}
)

// PartsOf tells the parts of a library apart, by the objects that it was linked of where these still lie beside it. Of a library that
// a build command made, the device's part alone is known: in a finished library the host's code holds distances that grow with the device's.
func PartsOf(library string) (Parts, error) {
	objects, err := filepath.Glob(filepath.Join(filepath.Dir(library), "*.o"))
	if err != nil || len(objects) == 0 {
		device, _, err := sectionsOf(library)
		return Parts{Device: device}, err
	}
	slices.Sort(objects)
	var devices, hosts []string
	var p Parts
	for _, object := range objects {
		device, host, err := sectionsOf(object)
		if err != nil {
			return Parts{}, err
		}
		devices = append(devices, device)
		if object == objectPath(filepath.Dir(library), 0) { // see BuildSpec.units
			p.Adapter = host
			continue
		}
		hosts = append(hosts, host)
	}
	p.Device, p.Host = strings.Join(devices, " "), strings.Join(hosts, " ")
	return p, nil
}

// sectionsOf hashes the sections of a file that are loaded, the device's and the host's apart.
func sectionsOf(path string) (device, host string, err error) {
	f, err := untrusted.OpenProgram(path, mostLibrary)
	if err != nil {
		return "", "", fmt.Errorf("read what was compiled: %w", err)
	}
	defer f.Close()
	devices, hosts := sha256.New(), sha256.New()
	for _, s := range f.Sections {
		relocates := s.Type == elf.SHT_RELA && strings.HasPrefix(s.Name, ".rela.text")
		if s.Flags&elf.SHF_ALLOC == 0 && !relocates || s.Type == elf.SHT_NOBITS || slices.Contains(aboutDevice, s.Name) {
			continue
		}
		content, err := s.Data()
		if err != nil {
			return "", "", fmt.Errorf("read what was compiled, %s: %w", filepath.Base(path), err)
		}
		into := hosts
		if slices.Contains(deviceSections, s.Name) {
			into = devices
		}
		into.Write([]byte(s.Name))
		into.Write(unitDigests().ReplaceAllLiteral(content, []byte("_GLOBAL__N__00000000_")))
	}
	return hex.EncodeToString(devices.Sum(nil)[:16]), hex.EncodeToString(hosts.Sum(nil)[:16]), nil
}
