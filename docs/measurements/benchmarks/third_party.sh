#!/bin/bash
# Third-party benchmarks under the gate, as they are: third_party.sh PERFGATE PROJECTS OUT [NAME...]
#
# PROJECTS has a clone of each project in a folder of its name. Of each: perfgate init, timed to its first verdict, then perfgate run of a
# comment more (same), more work (slow) and a missing source (broken). Prints a row each; OUT keeps what was printed.
set -u
perfgate=$1 projects=$(realpath "$2") out=$3
shift 3
mkdir -p "$out"
out=$(realpath "$out")
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c

# gate NAME VARIANT runs the gate on what the working tree has, and prints exit code and seconds.
gate() {
  local began=$SECONDS rc
  git checkout -q -B "$2" && git commit -q -a -m "$2"
  "$perfgate" run --base main ${run_args:-} >"$out/$1-$2.txt" 2>&1
  rc=$?
  printf ' | exit %s, %s, %d s' "$rc" "$(grep -m1 -E '^(PASS|FAIL|COULD NOT)' "$out/$1-$2.txt" | cut -c1-60 | tr '|' '/')" $((SECONDS - began))
  git checkout -q main
}

# project NAME COMMAND SAME SLOW BROKEN [OPTION...]: three commands that change the tree, and options of init.
project() {
  local name=$1 command=$2 same=$3 slow=$4 broken=$5 began=$SECONDS rc
  shift 5
  rm -rf "$work" && cp -r "$projects/$name" "$work" && cd "$work" || return
  rm -rf .git && git init -q -b main && git add -A && git commit -q -m "As it is"
  "$perfgate" init --bench "$command" "$@" >"$out/$name-init.txt" 2>&1
  rc=$?
  printf '%s | `perfgate init --bench "%s"%s` | exit %s, %d s, %s' "$name" "$command" "${*:+ $*}" "$rc" $((SECONDS - began)) "$(grep -o 'tolerance: [^}]*' perfgate.yaml || echo 'default tolerance')"
  if [ -f perfgate.yaml ]; then
    cp perfgate.yaml "$out/$name-perfgate.yaml"
    git add perfgate.yaml && git commit -q -m "Gate it"
    eval "$same" && gate "$name" same
    eval "$slow" && gate "$name" slow
    eval "$broken" && gate "$name" broken
  fi
  echo
}

work=$(mktemp -d)/tree
trap 'rm -rf "${work%/tree}"' EXIT
for name in ${*:-STREAM xxHash lz4 match match-binary cattrs}; do
  case $name in
  STREAM) # C, Makefile, a table of its own
    project STREAM ./stream_c.exe 'echo "/* more */" >>stream.c' \
      'sed -i "s/^\ttimes\[3\]\[k\] = mysecond() - /\tfor (ssize_t i = 0; i < STREAM_ARRAY_SIZE; i++) a[i] = b[i] + scalar * c[i];\n&/" stream.c' 'git rm -q stream.c' ;;
  xxHash) # C, Makefile, sentences on standard error that overwrite each other
    project xxHash './xxhsum -b1,3 -i1 2>&1' 'echo "/* more */" >>xxhash.c' \
      'sed -i "/^static xxh_u32 XXH32_round/,/^}/s/^{/{ __asm__ volatile(\"imul \$1, %0, %0\" : \"+r\"(acc));/" xxhash.h' 'git rm -q cli/xsum_bench.c' ;;
  lz4) # C, Makefile, likewise
    project lz4 './programs/lz4 -b1 -e1 -i1 doc/lz4_manual.html 2>&1' 'echo "/* more */" >>lib/lz4.c' \
      'sed -i "/^LZ4_FORCE_INLINE U32 LZ4_hash5/,/^}/s/^{/{ __asm__ volatile(\"imul \$1, %0, %0; imul \$1, %0, %0; imul \$1, %0, %0\" : \"+r\"(sequence));/" lib/lz4.c' 'git rm -q programs/bench.c' ;;
  match) # go test
    project match "go test -run '^\$' -bench . -benchtime 100ms" 'echo "// more" >>match.go' \
      'sed -i "s/return match(str, pattern, 0, nil, -1) == rMatch/match(str, pattern, 0, nil, -1)\n\t&/" match.go' 'git rm -q match.go' ;;
  match-binary) # the same, its test binary
    cp -r "$projects/match" "$projects/match-binary" 2>/dev/null
    project match-binary "./bench.test -test.run '^\$' -test.bench . -test.benchtime 100ms" 'echo "// more" >>match.go' \
      'sed -i "s/return match(str, pattern, 0, nil, -1) == rMatch/match(str, pattern, 0, nil, -1)\n\t&/" match.go' 'git rm -q match_test.go' --build 'go test -c -o bench.test .' ;;
  cattrs) # pytest-benchmark, packages in src
    project cattrs "${PYTHON:-python3} -m pytest bench/test_primitives.py" 'echo "# more" >>src/cattrs/converters.py' \
      'sed -i "s/^        return self._structure_func.dispatch(cl)(obj, cl)/        self._structure_func.dispatch(cl)(obj, cl)\n&/" src/cattrs/converters.py' 'git rm -q bench/test_primitives.py' ;;
  esac
done
