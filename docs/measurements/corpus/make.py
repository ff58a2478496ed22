"""Writes the questions of gate/rule/testdata/corpus, all of them or those of the named files: python3 make.py [NAME...]

Answers are the rule's: go test ./gate/rule -run TestCorpus -update
"""

import gzip
import json
import sys

import kinds
import machines
import noise
import searches
import streams

FILES = {
    "noise": streams.generated,
    "recorded": streams.recorded,
    "saved": streams.saved,
    "kinds": kinds.entries,
    "waivers": kinds.waivers,
    "decide": kinds.decisions,
    "competitors": machines.competitors,
    "merge": machines.merges,
    "records": machines.records,
    "tune": searches.tunes,
    "judge": searches.judges,
    "alone": searches.alone,
}

for name in sys.argv[1:] or FILES:
    lines = ",\n".join(json.dumps(e, separators=(",", ":"), ensure_ascii=False) for e in FILES[name]())
    text = gzip.compress(f"[\n{lines}\n]\n".encode(), 9, mtime=0)
    (noise.ROOT / "gate/rule/testdata/corpus" / f"{name}.json.gz").write_bytes(text)
