#ifndef PERFGATE_HARNESS_MAIN_H
#define PERFGATE_HARNESS_MAIN_H

// All that the harness does, to its end; the arguments are in pairs, see read_options().
extern "C" __attribute__((visibility("default"))) int perfgate_main(int argc, char **argv);

#endif
