#!/bin/sh
# Each cheat of testdata/cheats/cuda through `perfgate parity` and, where that lets it pass, through `perfgate run` against itself:
# cheats.sh PERFGATE OUT, in the repository's root. A line for each: the exit codes, and what the report says first. Cheats must end
# with 1 or 3, honest kernels with 0.
perfgate=$(realpath "$1") out=$(realpath -m "$2")
honest="honest joined_stream waits legacy_stream autotuned atomic_adds"
mkdir -p "$out"
names=$(for f in testdata/cheats/cuda/*.cu; do basename "$f" .cu; done | grep -v '^slow$') # eleven seconds a launch: slow.py
for name in $names; do
  dir="$out/src/$name"
  mkdir -p "$dir"
  cp "testdata/cheats/cuda/$name.cu" testdata/cheats/cuda/saxpy.cuh "$dir/"
  sed "s/CHEAT/$name/g" testdata/cheats/cuda/perfgate.yaml >"$dir/perfgate.yaml"
done
# Several compile at a time; on the GPU they take turns.
echo "$names" | xargs -P 8 -I NAME sh -c "cd '$out/src/NAME' && '$perfgate' parity --seed 7 >'$out/NAME.parity.txt' 2>&1; echo \$? >'$out/NAME.parity'"
bad=0
for name in $names; do
  parity=$(cat "$out/$name.parity") timed=- said=$out/$name.parity.txt
  if [ "$parity" -eq 0 ]; then
    (cd "$out/src/$name" && "$perfgate" run --base . --head . --time-identical --seed 7 --out "$out/$name.run" >"$out/$name.run.txt" 2>&1)
    timed=$? said=$out/$name.run.txt
  fi
  kind=cheat
  case " $honest " in *" $name "*) kind=honest ;; esac
  passed=no
  [ "$parity" = 0 ] && [ "$timed" = 0 ] && passed=yes
  [ "$kind$passed" = honestyes ] || [ "$kind$passed" = cheatno ] || { bad=1; kind="$kind, WRONG"; }
  echo "| $name | $kind | $parity | $timed | $(sed -n '/^\(PASS\|FAIL\|COULD NOT\)/,/^ *$/p' "$said" | tr -s ' \n' '  ' | cut -c1-260) |"
done
exit $bad
