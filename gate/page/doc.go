// Package page shows a run as one self-contained HTML file: no network, no script needed to read it, a table behind every figure. It says
// in the words of package report, and draws with package plot, what the saved result holds. What is in it comes from the change under
// test and is hostile: all of it is escaped, control characters are made visible, and the page's own policy lets no other script or
// style act.
package page
