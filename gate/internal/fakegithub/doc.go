// Package fakegithub is a GitHub for tests and rehearsals: the part of its REST API that perfgate uses, with state. Git data
// is kept in a real bare repository. Every request and every answer is validated against GitHub's own OpenAPI
// description (openapi.json.gz, from the npm package @octokit/openapi, pruned by testdata/github/prune.go; licence
// beside it), so that a client cannot get by with what GitHub would refuse, nor the fake with what GitHub would never
// answer. Faults can be injected, and all calls are recorded.
//
// What it cannot show: how GitHub renders a page, which events it starts workflows for, what a token may do beyond the
// grants that are modelled here, and limits that are not in the description except those that this package adds.
package fakegithub
