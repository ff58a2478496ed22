"""The timing functions. What the real ones would measure is REAL ms, so that a test sees who was asked."""

REAL = 123.0
calls = []


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    calls.append("do_bench_cudagraph")
    fn()
    return [REAL for _ in quantiles] if quantiles else REAL


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    assert return_mode in ["min", "max", "mean", "median", "all"]
    calls.append("do_bench")
    fn()
    return [REAL for _ in quantiles] if quantiles else REAL


class Benchmark:
    def __init__(self, x_names, x_vals, line_arg, line_vals, line_names, plot_name, args, xlabel="", ylabel="", x_log=False, y_log=False, styles=None):
        self.x_names, self.x_vals, self.line_arg, self.line_vals, self.line_names = x_names, x_vals, line_arg, line_vals, line_names
        self.plot_name, self.args = plot_name, args


class Mark:
    def __init__(self, fn, benchmarks):
        self.fn, self.benchmarks = fn, benchmarks

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, **kwargs):
        raise ImportError("the real one imports matplotlib and pandas")


def perf_report(benchmarks):
    return lambda fn: Mark(fn, benchmarks)
