/* A stand-in for CUPTI: fake_program.c says what the device did, and asks for a flush where the driver would be called. */
#include <stdint.h>
#include <string.h>
#include <stddef.h>

typedef void (*give)(uint8_t **, size_t *, size_t *);
typedef void (*take)(void *, uint32_t, uint8_t *, size_t, size_t);
typedef void (*listener)(void *, uint32_t, uint32_t, const uint32_t *);
struct record { uint32_t kind, what; uint64_t bytes, start, end; };

static give give_buffer; static take take_buffer; static listener listening;
static uint32_t enabled, heard;
static struct record waiting[4096]; static size_t n;

int cuptiActivityRegisterCallbacks(give g, take t) { give_buffer = g; take_buffer = t; return 0; }
int cuptiActivityEnable(uint32_t kind) { enabled |= 1u << kind; return 0; }
int cuptiSubscribe(void **subscriber, listener f, void *data) { *subscriber = &n; listening = f; return data != NULL; }
int cuptiEnableCallback(uint32_t on, void *subscriber, uint32_t domain, uint32_t call) {
  heard |= on << (call - 300);
  return !(subscriber == &n && domain == 1);
}
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, struct record **r) {
  struct record *next = *r ? *r + 1 : (struct record *)buffer;
  if ((uint8_t *)next >= buffer + valid) return 1;
  *r = next;
  return 0;
}
int cuptiActivityFlushAll(uint32_t forced) {
  uint8_t *buffer; size_t size, most;
  if (!n || !forced) return 0;
  give_buffer(&buffer, &size, &most);
  memcpy(buffer, waiting, n * sizeof *waiting);
  take_buffer(NULL, 0, buffer, size, n * sizeof *waiting);
  n = 0;
  return 0;
}

/* For the program. */
void fake_record(uint32_t kind, uint32_t what, uint64_t bytes, uint64_t ns) {
  if (enabled >> kind & 1) waiting[n++] = (struct record){kind, what, bytes, 1000, 1000 + ns};
}
void fake_call(uint32_t call, uint32_t site) {
  if (heard >> (call - 300) & 1) listening(NULL, 1, call, &site);
}
