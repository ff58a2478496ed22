package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// samples is a sample file of unchanged code: four processes of one case.
const samples = "process,kernel,case,ns\np1,copy,S=1,100000\np2,copy,S=1,100300\np3,copy,S=1,99800\np4,copy,S=1,100100\n"

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mine.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSimulations(t *testing.T) {
	t.Parallel()
	figure := filepath.Join(t.TempDir(), "curve.svg")
	for line, want := range map[string][]string{
		"--trials 30 --noise=sd_0.3":                                                               {"process sd 0.3 %", "How often it is wrong", "holds", "of rule 2's", "All of it at a tolerance of 1.5 %: 7"},
		"--trials 10 --tolerance 0.5% --tolerance 1% --noise=sd_0.3":                               {"| 0.5", "| 1 "},
		"--trials 10 --tables errors --floor 3us --noise=sd_0.3":                                   {"a floor of 3000 ns", "How often it is wrong"},
		"--trials 10 --tables costs,power --rule-2 --noise=sd_0.3":                                 {"by rule 2.", "| 16.0 ", "What it finds"},
		"--trials 10 --timer-resolution 1 --recordings=" + write(t, samples):                       {"mine.csv, copy/S=1"},
		"--trials 10 --enough --recordings=" + write(t, samples):                                   {"mine.csv, all samples", "mine.csv, enough samples"},
		"--trials 10 --other-rules --noise=sd_0.3":                                                 {"benchstat", "perfgate"},
		"--trials 2 --injected --exact":                                                            {"saxpy/n=16777216", "by processes spent"},
		"--injected=" + write(t, "case,slowdown,process,ns\nk,0,1,5\nk,0,2,5\nk,0,3,5\nk,0,4,5\n"): {"| k "},
		"--searches 1 --candidates 2 --noise=sd_0.3":                                               {"2 candidates that are base itself"},
		"--trials 10 --noise=sd_0.3 --figure=" + figure:                                            {"Chance of each verdict"},
	} {
		var out bytes.Buffer
		args := strings.Fields(line)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "sd_", "sd ")
		}
		code := run(args, &out, io.Discard)
		for _, text := range want {
			if code != 0 || !strings.Contains(out.String(), text) {
				t.Errorf("%s: exit %d, and no %q in\n%s", line, code, text, out.String())
			}
		}
	}
	if drawn, err := os.ReadFile(figure); err != nil || !bytes.Contains(drawn, []byte("</svg>")) {
		t.Errorf("figure: %v", err)
	}
}

// Nothing is simulated of what is wrong, and no flag is ignored.
func TestBadUsage(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"--exact":                  "--exact has no part",
		"--injected --noise attn":  "--noise has no part",
		"--injected --searches 1":  "--searches has no part",
		"--injected=absent":        "absent",
		"--noise such":             "no noise is called",
		"--trials 0":               "at least 1",
		"--trials -1":              "at least 1",
		"--suite-cases 0":          "at least 1",
		"--searches 0":             "at least 1",
		"--tolerance x":            "not a percentage",
		"--tables such":            "no table is called",
		"--tables errors,":         "no table is called",
		"--floor 0us":              "more than 0",
		"--floor 3":                "missing unit",
		"--floor 2s":               "must be from 0 to 1 s",
		"--rule-2":                 "--tables errors,costs,power",
		"--other-rules --rule-2":   "--rule-2 has no part",
		"--searches 1 --floor 3us": "--floor has no part",
		"--recordings absent":      "absent",
		"--enough":                 "need --recordings",
		"--timer-resolution 3":     "need --recordings",
		"--enough --recordings=" + write(t, samples) + " --timer-resolution 3": "no part in that",
		"surplus":    "not a flag",
		"--nonsense": "not defined",
	} {
		var out, log bytes.Buffer
		if code := run(strings.Fields(line), &out, &log); code != 2 || out.Len() > 0 || !strings.Contains(log.String(), want) {
			t.Errorf("%s: exit %d, %q, want %q", line, code, log.String(), want)
		}
	}
	if code := run([]string{"--help"}, io.Discard, io.Discard); code != 0 {
		t.Errorf("--help: exit %d", code)
	}
}
