package kernels

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/kernels/kernelstest"
)

func TestAgainstAdapters(t *testing.T) {
	x, y := Tensor{Name: "x\"\\'", Role: "in", Dtype: "f32", Shape: []int64{2}}, Tensor{Name: "y", Role: "out", Dtype: "f32", Shape: []int64{2}, Bytes: 8}
	for _, name := range Against {
		text, err := AgainstAdapter(name, map[string][]Tensor{"n=2": {x, y}})
		if err != nil || !strings.Contains(string(text), `WHAT = "`+strings.TrimPrefix(name, "torch:")+`"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
	inout := y
	inout.Role = "inout"
	for what, tensors := range map[string][]Tensor{"no output": {x}, "two outputs": {x, y, y}, "in place": {x, inout}} {
		if _, err := AgainstAdapter("torch:softmax", map[string][]Tensor{"n=2": tensors}); err == nil {
			t.Errorf("%s was taken", what)
		}
	}
	if _, err := AgainstAdapter("torch:conv", nil); err == nil {
		t.Error("torch:conv was taken")
	}
}

// What PyTorch computes for a kernel's tensors, where it has the function for their types at all; asked of one process.
const againstScript = `
import runpy, sys
import torch
import perfgate as pg

for path in sys.argv[1:]:
    adapter = runpy.run_path(path)
    for dtype in ("f32", "f16"):
        case = pg.Case("k", [("n", "4", 4), ("dtype", dtype, 0)])
        described = adapter["tensors"](case)
        if described is None:
            print(adapter["WHAT"], dtype, "lacks it")
            continue
        torch.manual_seed(1)
        t = {}
        for row in adapter["SPECS"]["n=4,dtype=" + dtype]:
            values = torch.randn(row["shape"]) if row["role"] == "in" else torch.zeros(row["shape"])
            t[row["name"]] = values.to(pg.dtype(row["dtype"]).torch)
        returned = adapter["launch"](case, t)
        print(adapter["WHAT"], dtype, "right" if torch.allclose(adapter_right(adapter["WHAT"], t), (t["y"] if returned is None else returned).double(), atol=1e-2) else "WRONG")
`

const againstRight = `
import torch


def adapter_right(what, t):
    x = {name: tensor.double() for name, tensor in t.items()}
    if what == "matmul":
        return x["a"] @ x["b"]
    if what == "softmax":
        return torch.softmax(x["a"], -1)
    return torch.nn.functional.layer_norm(x["a"], x["a"].shape[-1:])
`

func TestAgainstTorchComputes(t *testing.T) {
	kernelstest.Live(t)
	python := kernelstest.PythonWith(t, "torch")
	dir := t.TempDir()
	must(t, writePackage(dir))
	arguments := []string{"-c", againstRight + againstScript}
	for name, inputs := range map[string]int{"torch:matmul": 2, "torch:softmax": 1, "torch:layer_norm": 1} {
		specs := map[string][]Tensor{}
		for _, dtype := range []string{"f32", "f16"} {
			for i := range inputs {
				specs["n=4,dtype="+dtype] = append(specs["n=4,dtype="+dtype], Tensor{Name: string(rune('a' + i)), Role: "in", Dtype: dtype, Shape: []int64{4, 4}})
			}
			specs["n=4,dtype="+dtype] = append(specs["n=4,dtype="+dtype], Tensor{Name: "y", Role: "out", Dtype: dtype, Shape: []int64{4, 4}})
		}
		text, err := AgainstAdapter(name, specs)
		path := filepath.Join(dir, strings.ReplaceAll(name, ":", "_")+".pg.py")
		must(t, errors.Join(err, os.WriteFile(path, text, 0o600)))
		arguments = append(arguments, path)
	}
	cmd := exec.Command(python, arguments...)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+dir)
	said := output(t, cmd)
	for _, what := range []string{"matmul", "softmax", "layer_norm"} {
		if !strings.Contains(said, what+" f32 right") || !strings.Contains(said, what+" f16 right") && !strings.Contains(said, what+" f16 lacks it") {
			t.Errorf("%s:\n%s", what, said)
		}
	}
}
