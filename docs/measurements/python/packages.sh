#!/bin/bash
# Gates bumps of two packages with a C++ extension, numexpr 2.8.4 and mmh3 3.0.0, taken as they are: packages.sh PERFGATE NUMEXPR MMH3, the last two clones.
# Later "releases" differ by a line that is planted. pip builds them from source archives, with the system's setuptools and numpy, in the sandbox.
set -eu
perfgate=$(realpath "$1") numexpr=$2 mmh3=$3
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
export PERFGATE_CACHE=$work/cache GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
index=$work/index python=/usr/bin/python3
mkdir "$index"

release() { # clone, tag, name, version, file whose line is changed, sed
    mkdir -p "$work/$3-$4"
    git -C "$1" archive "$2" | tar -x -C "$work/$3-$4"
    sed -i "${6:-}" "$work/$3-$4/${5:-setup.py}"
    sed -i "s/^\( *version *= *\"\?\)[0-9][0-9.]*/\1$4/" "$work/$3-$4"/setup.*
    tar -C "$work" -czf "$index/$3-$4.tar.gz" "$3-$4"
}
release "$numexpr" v2.8.4 numexpr 2.8.4
release "$numexpr" v2.8.4 numexpr 2.8.5 numexpr/numexpr_config.hpp 's/BLOCK_SIZE1 1024/BLOCK_SIZE1 16/' # slower
release "$numexpr" v2.8.4 numexpr 2.8.6 numexpr/interpreter.cpp '1i #include <no-such-header.h>'
release "$mmh3" v3.0.0 mmh3 3.0.0
release "$mmh3" v3.0.0 mmh3 3.0.1 README.md 's/$/ /'
release "$mmh3" v3.0.0 mmh3 3.0.2 setup.py 's/^COMPILE_OPTIONS = \[\]/COMPILE_OPTIONS = ["-O0"]/' # slower

git init -q "$work/repo"
cd "$work/repo"
cat >perfgate.yaml <<C
version: 1
kernels:
  - name: poly
    bench: {command: python poly.py, format: csv}
  - name: hash
    bench: {command: python hash.py, format: csv}
environment:
  build: '$python -m venv --system-site-packages --without-pip "\$PERFGATE_ENV" && $python -m pip --python "\$PERFGATE_ENV/bin/python" install -q --no-index --no-deps --no-build-isolation --find-links $index -r requirements.txt'
  inputs: [requirements.txt]
gate: {tolerance: 20%, improvement: 40%, budget: 1m}
C
# timed is a benchmark of the processor's time: neighbours of the machine count for less.
timed() {
    printf 'import time\n%s\nprint("kernel,ns")\nfor i in range(10):\n    t = time.process_time_ns()\n    %s\n    print(f"k,{time.process_time_ns() - t}")\n' "$1" "$2"; }
timed 'import numexpr, numpy
numexpr.set_num_threads(1)
x = numpy.arange(1_000_000) / 1e6' 'numexpr.evaluate("2*x**3 + 3*x**2 - x + 1")' >poly.py
timed 'import mmh3
data = bytes(range(256)) * 16384' 'mmh3.hash128(data)' >hash.py

commit() { # name, then the list
    printf '%s\n' "${@:2}" >requirements.txt
    git add -A
    git -c user.name=x -c user.email=x@example.com commit -q --allow-empty -m "$1"
    git tag "$1"
}
gate() { # name, base, head
    local code=0
    "$perfgate" run --base "$2" --head "$3" --trust base --sandbox on --profile never --verbose --out "$work/$1" >"$work/$1.txt" 2>&1 || code=$?
    printf '%-10s exit %d, %d environments built\n' "$1" $code "$(grep -c 'm venv' "$work/$1.txt")"
    grep -E '^(PASS|FAIL|COULD)|→|environment|rror:' "$work/$1/report.md" | cut -c1-300 | head -8
}
commit base numexpr==2.8.4 mmh3==3.0.0
commit other numexpr==2.8.4 mmh3==3.0.1; git checkout -q base
commit slower numexpr==2.8.5 mmh3==3.0.0; git checkout -q base
commit hash numexpr==2.8.4 mmh3==3.0.2; git checkout -q base
commit both numexpr==2.8.5 mmh3==3.0.1; git checkout -q base
commit broken numexpr==2.8.6 mmh3==3.0.0; git checkout -q base
commit absent numexpr==9 mmh3==3.0.0; git checkout -q base
echo '# more' >>README; commit code numexpr==2.8.4 mmh3==3.0.0
for head in code other slower hash both broken absent; do gate $head base $head; done

git checkout -q base
for i in 1 2; do echo $i >>NOTES; commit note$i numexpr==2.8.4 mmh3==3.0.0; done
commit bump1 numexpr==2.8.4 mmh3==3.0.1
echo 3 >>NOTES; commit note3 numexpr==2.8.4 mmh3==3.0.1
commit bump2 numexpr==2.8.5 mmh3==3.0.1
echo 4 >>NOTES; commit note4 numexpr==2.8.5 mmh3==3.0.1
"$perfgate" bisect base note4 --kernel poly --sandbox on --out "$work/bisect" 2>/dev/null || echo "exit $?"
