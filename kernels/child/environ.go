package child

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// secretPrefixes and secretWords name environment variables that code under test must not see: credentials of the
// CI system, of clouds and of registries, and the files through which a step speaks to its runner.
var (
	secretPrefixes = []string{
		"GITHUB_", "ACTIONS_", "RUNNER_", "INPUT_", "GH_", "STATE_",
		"AWS_", "AZURE_", "ARM_", "GOOGLE_", "GCP_", "GCLOUD_", "CLOUDSDK_", "DIGITALOCEAN_", "OCI_", "ALIBABA_",
		"VAULT_", "KUBE", "DOCKER_", "NPM_", "NODE_AUTH", "PYPI_", "TWINE_", "CARGO_REGISTRY", "HF_", "HUGGING",
		"WANDB_", "SSH_", "GPG_", "NETRC", "GIT_ASKPASS", "GIT_CONFIG", "CI_JOB_", "CI_REGISTRY", "BUILDKITE_", "CIRCLE_",
		"SENTRY_", "SLACK_", "DATABASE_URL", "LD_PRELOAD",
	}
	secretWords = []string{"TOKEN", "SECRET", "KEY", "PASSWORD", "PASSWD", "PASSPHRASE", "SSHPASS", "CREDENTIAL", "COOKIE", "PRIVATE", "AUTH", "WEBHOOK"}
	// MYSQL_PWD, DB_PASS and ADO_PAT; PWD itself is a folder.
	secretSuffixes = []string{"_PWD", "_PASS", "_PAT"}
	// The runner finds orphaned processes of a job by this variable and ends them: a second net below ours.
	kept = map[string]bool{"RUNNER_TRACKING_ID": true}
)

// Scrub returns the environment without what code under test must not see.
func Scrub(environ []string) []string {
	clean := make([]string, 0, len(environ))
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if kept[name] || !isSecret(strings.ToUpper(name)) && !hasPassword(value) {
			clean = append(clean, entry)
		}
	}
	return clean
}

func isSecret(name string) bool {
	return slices.ContainsFunc(secretPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) ||
		slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(name, word) }) ||
		slices.ContainsFunc(secretSuffixes, func(suffix string) bool { return strings.HasSuffix(name, suffix) })
}

// hasPassword says whether a value has an address with a user in it, such as that of a private package index, a proxy or a database.
func hasPassword(value string) bool {
	return slices.ContainsFunc(strings.Fields(value), func(word string) bool {
		at, err := url.Parse(word)
		return strings.Contains(word, "://") && strings.Contains(word, "@") && (err != nil || at.User != nil)
	})
}

// With returns environ with the given NAME=value entries, which replace entries of the same name.
func With(environ []string, entries ...string) []string {
	replaced := map[string]bool{}
	for _, e := range entries {
		name, _, _ := strings.Cut(e, "=")
		replaced[name] = true
	}
	out := make([]string, 0, len(environ)+len(entries))
	for _, e := range environ {
		if name, _, _ := strings.Cut(e, "="); !replaced[name] {
			out = append(out, e)
		}
	}
	return append(out, entries...)
}

// inFolder makes the environment's folder that in which a program starts. A shell looks at the one that it is told, which would be that of the user, with
// another version of the files; "" starts it there.
func inFolder(environ []string, dir string) []string {
	if dir == "" {
		return environ
	}
	clean := slices.DeleteFunc(slices.Clone(environ), func(entry string) bool { return strings.HasPrefix(entry, "OLDPWD=") })
	if absolute, err := filepath.Abs(dir); err == nil {
		dir = absolute
	}
	return With(clean, "PWD="+dir)
}
