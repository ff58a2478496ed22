#!/bin/bash
# One line for each variant: name, exit, first line of the verdict. Usage: run.sh [setup|inplace|jit|wheels ...]; PERFGATE names the program, OUT the results.
set -u
here=$(cd "$(dirname "$0")" && pwd)
perfgate=$(realpath "${PERFGATE:-$(command -v perfgate)}")
export OUT=${OUT:-$here/out}
mkdir -p "$OUT"
work=$(mktemp -d)
export PERFGATE_CACHE=$work/cache PERFGATE_LOCK_DIR=$work GIT_CONFIG_GLOBAL=/dev/null
python=${PYTHON:-python3}
device=cuda
if [ -n "${SCALE_CPU:-}" ]; then device=cpu; fi
# The image's packages, also where its python3 is that of a virtual environment, whose packages --system-site-packages would not show.
venv="image=\$($python -c \"import site; print(*site.getsitepackages(), sep=chr(10))\") && $python -m venv --without-pip \"\$PERFGATE_ENV\" && echo \"\$image\" >\"\$(echo \"\$PERFGATE_ENV\"/lib/python3*/site-packages)/image.pth\""
flags="TORCH_CUDA_ARCH_LIST=${ARCH:-9.0} MAX_JOBS=4 SCALE_CPU=${SCALE_CPU:-}"

config() { # kernel's lines, then the common ones
    { printf 'version: 1\ndevice: %s\n%bkernels:\n  - name: scale\n    adapter: scale.pg.py\n' "$device" "${1:-}"; cat; sed "s/33554432/${N:-33554432}/" "$here/common.yaml"; } >perfgate.yaml
}
commit() { git add -A && git -c user.name=x -c user.email=x@example.com commit -qm "$1" && git tag "$1"; }
plant() { sed -i "$1" csrc/scale_c*; }

make_wheel() { # version, passes, folder
    "$python" - "$@" "$here/wheels/fastscale.py" <<'P'
import base64, hashlib, sys, zipfile
version, passes, folder, source = sys.argv[1:]
code = open(source).read().replace("PASSES = 1", "PASSES = " + passes, 1)
info = f"fastscale-{version}.dist-info/"
files = {"fastscale.py": code, info + "METADATA": f"Metadata-Version: 2.1\nName: fastscale\nVersion: {version}\n",
         info + "WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
record = "".join(f"{n},sha256={base64.urlsafe_b64encode(hashlib.sha256(t.encode()).digest()).rstrip(b'=').decode()},{len(t)}\n" for n, t in files.items())
with zipfile.ZipFile(f"{folder}/fastscale-{version}-py3-none-any.whl", "w") as z:
    for n, t in {**files, info + "RECORD": record + info + "RECORD,,\n"}.items():
        z.writestr(n, t)
P
}

gate() { # name, base, head
    local out=$OUT/$1
    mkdir -p "$out"
    SECONDS=0
    "$perfgate" run --base "$2" --head "$3" --trust base --sandbox "${SANDBOX:-on}" --profile never --out "$out" >"$out/stdout" 2>"$out/stderr"
    printf '%-18s %d %s (%d s)\n' "$1" $? "$(cat "$out/stdout" "$out/stderr" | grep -m1 -v '^ *$')" "$SECONDS" | tee -a "$OUT/lines"
}

sources() { # kind: the tree of a kind with its variants as tags
    git init -q "$work/$1" && cd "$work/$1" && cp -r "$here/${2:-$1}/." "$here/csrc" "$here/scale.pg.py" . && printf 'build/\n*.so\n*.egg-info/\n__pycache__/\n' >.gitignore
}
variants() {
    commit base
    printf '\n// unchanged but for this line\n' >>csrc/scale.cpp; commit unchanged; git checkout -q base
    plant 's/PASSES = 1;/PASSES = 3;/'; commit slower; git checkout -q base
    plant 's/SHORT = 0;/SHORT = 1;/'; commit wrong; git checkout -q base
    sed -i 's/#include <torch/#include <no-such-header.h>\n&/' csrc/scale.cpp; commit broken; git checkout -q base
    for v in ${VARIANTS:-unchanged slower wrong broken}; do gate "$1-$v" base $v; done
}

for kind in ${*:-setup inplace jit wheels}; do
    case $kind in
    setup) # installed into the environment
        sources setup
        config <<C
    environment:
      build: '$venv && $flags "\$PERFGATE_ENV/bin/python" setup.py -q build_ext --build-temp build --build-lib "\$(echo "\$PERFGATE_ENV"/lib/python3*/site-packages)"'
      inputs: [setup.py, "csrc/**"]
C
        variants setup ;;
    inplace) # built by the kernel's command, with the environment's interpreter
        sources inplace setup
        config <<C
    build: {command: '$flags python setup.py -q build_ext --inplace'}
    environment:
      build: '$venv'
      inputs: [requirements.txt]
C
        echo >requirements.txt
        variants inplace ;;
    jit)
        sources jit
        config "python: $python
" </dev/null
        variants jit ;;
    wheels)
        mkdir -p "$work/index"
        make_wheel 1.0 1 "$work/index"; make_wheel 1.1 3 "$work/index"
        sources wheels; rm -r fastscale.py csrc; sed -i 's/scale_ext/fastscale/' scale.pg.py
        config <<C
    environment:
      build: '$venv && $python -m pip --python "\$PERFGATE_ENV/bin/python" install -q --no-index --no-deps --find-links $work/index -r requirements.txt'
      inputs: [requirements.txt]
C
        echo fastscale==1.0 >requirements.txt; commit base
        echo '# unchanged' >>requirements.txt; commit unchanged; git checkout -q base
        echo fastscale==1.1 >requirements.txt; commit slower; git checkout -q base
        echo fastscale==9 >requirements.txt; commit broken; git checkout -q base
        for v in unchanged slower broken; do gate wheels-$v base $v; done ;;
    esac
done
rm -rf "$work" 2>/dev/null || { chmod -R u+w "$work"; rm -rf "$work"; }
