// Defines no pg_launch.
#include "../saxpy.h"

SAXPY_SPEC
SAXPY_REFERENCE
