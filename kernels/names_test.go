package kernels

import "testing"

func TestShortName(t *testing.T) {
	for name, want := range map[string]string{
		"void attn<0>(const __half *)":                   "attn",
		"attn_serial(const __half *)":                    "attn_serial",
		"<unnamed>::naive(Attention, const __half *)":    "naive",
		"void a::b::kernel<(int)3, a::T<(bool)1>>(T1 *)": "kernel",
		"(anonymous namespace)::reference(Attention)":    "reference",
		"plain": "plain",
		"":      "",
		"(((":   "",

		"_Z5saxpyPf": "saxpy", "_ZL5tilesv": "tiles", "_ZN2ns1kEv": "k",
		"_ZN51_GLOBAL__N__9937b407_18_attention_tiled_cu_91ca79715tiledILi64EEEv9AttentioniPK6__half": "tiled",
		"_Z3mulI6__halfEv5Shape": "mul",
		"_ZN":                    "_ZN", "_Z99xPf": "_Z99xPf", "_Z99999999999999999999x": "_Z99999999999999999999x",
	} {
		if got := ShortName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
