package kernels

import (
	"strings"
	"testing"

	"github.com/org/perfgate/kernels/sandbox"
)

// The configuration of installers may hold the password of an index, and code of a pull request runs in what makes an environment.
func TestEnvironmentCommandsReadNoConfigurationOfInstallers(t *testing.T) {
	t.Parallel()
	for _, p := range []sandbox.Policy{platformFiles, sandbox.Network(), sandbox.Accounts()} {
		for _, open := range p.Read {
			for _, file := range []string{"/etc/pip.conf", "/etc/xdg/pip/pip.conf", "/etc/uv/uv.toml", "/etc/xdg/uv/uv.toml", "/etc/netrc"} {
				if strings.HasPrefix(file+"/", strings.TrimSuffix(open, "/")+"/") {
					t.Errorf("%s opens %s", open, file)
				}
			}
		}
	}
}
