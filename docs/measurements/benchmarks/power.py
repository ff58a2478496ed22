"""Writes what NVML says of every GPU, every few milliseconds, until it is ended: power.py FILE

A line has: uuid, s (time.monotonic), MHz of the multiprocessors, W (of this instant where the driver tells it, else of the last second), the bits of
nvmlClocksEventReasons, degrees Celsius, and ms that the power cap held the clock down since the driver was loaded.
"""
import ctypes
import signal
import sys
import time

EVERY = 0.005  # s
SM_CLOCK, INSTANT_POWER, POWER_CAP = 1, 186, 0


class Value(ctypes.Union):
    _fields_ = [("d", ctypes.c_double), ("ui", ctypes.c_uint), ("ull", ctypes.c_ulonglong)]


class Field(ctypes.Structure):
    _fields_ = [("id", ctypes.c_uint), ("scope", ctypes.c_uint), ("timestamp", ctypes.c_longlong), ("latency", ctypes.c_longlong),
                ("type", ctypes.c_int), ("status", ctypes.c_int), ("value", Value)]


class Violation(ctypes.Structure):
    _fields_ = [("reference", ctypes.c_ulonglong), ("violation", ctypes.c_ulonglong)]


class Gpu:
    def __init__(self, nvml, index):
        self._nvml, self._handle = nvml, ctypes.c_void_p()
        nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(self._handle))
        text = ctypes.create_string_buffer(96)
        nvml.nvmlDeviceGetUUID(self._handle, text, 96)
        self.uuid = text.value.decode()

    def line(self):
        nvml, clock, temperature, reasons = self._nvml, ctypes.c_uint(), ctypes.c_uint(), ctypes.c_ulonglong()
        nvml.nvmlDeviceGetClockInfo(self._handle, SM_CLOCK, ctypes.byref(clock))
        nvml.nvmlDeviceGetTemperature(self._handle, 0, ctypes.byref(temperature))
        nvml.nvmlDeviceGetCurrentClocksThrottleReasons(self._handle, ctypes.byref(reasons))
        violation = Violation()
        nvml.nvmlDeviceGetViolationStatus(self._handle, POWER_CAP, ctypes.byref(violation))
        return (self.uuid, f"{time.monotonic():.4f}", clock.value, f"{self._watts():.1f}", reasons.value, temperature.value, f"{violation.violation / 1e6:.3f}")

    def _watts(self):
        field = Field(id=INSTANT_POWER)
        if self._nvml.nvmlDeviceGetFieldValues(self._handle, 1, ctypes.byref(field)) == 0 and field.status == 0:
            return field.value.ui / 1e3
        milliwatts = ctypes.c_uint()
        self._nvml.nvmlDeviceGetPowerUsage(self._handle, ctypes.byref(milliwatts))
        return milliwatts.value / 1e3


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    nvml, count = ctypes.CDLL("libnvidia-ml.so.1"), ctypes.c_uint()
    nvml.nvmlInit_v2()
    nvml.nvmlDeviceGetCount_v2(ctypes.byref(count))
    gpus = [Gpu(nvml, i) for i in range(count.value)]
    with open(sys.argv[1], "a", buffering=1) as out:
        while True:
            for gpu in gpus:
                print(*gpu.line(), sep=",", file=out)
            time.sleep(EVERY)


main()
