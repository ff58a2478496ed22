package action

// The actions of others, each pinned to the commit of a release that runs on Node 24, which needs a runner of 2.327.1 or later. This is the one place
// that says which: workflows are written with these, and TestPins holds action.yml, our own workflows and the documentation to them.
const (
	checkoutAction   = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1"
	setUpGoAction    = "actions/setup-go@b7ad1dad31e06c5925ef5d2fc7ad053ef454303e # v7.0.0"
	uploadAction     = "actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f # v7.0.0"
	downloadAction   = "actions/download-artifact@3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c # v8.0.1"
	attestAction     = "actions/attest@1e69f48acb82d1966a394da916b4c1698aa569d6 # v4.2.2"
	appTokenAction   = "actions/create-github-app-token@1b10c78c7865c340bc4f6099eb2f838309f1e8c3 # v3.1.1"
	googleAuthAction = "google-github-actions/auth@7c6bc770dae815cd3e89ee6cdf493a5fab2cc093 # v3.0.0"
	goreleaserAction = "goreleaser/goreleaser-action@f06c13b6b1a9625abc9e6e439d9c05a8f2190e94 # v7.2.3"
	syftAction       = "anchore/sbom-action/download-syft@e22c389904149dbc22b58101806040fa8d37a610 # v0.24.0"
)
