/* Shared by all kernels. Functions accept flat arrays, keep no state and do not call Python. */
#ifndef VALOR_DETECTION_KERNELS_H
#define VALOR_DETECTION_KERNELS_H

#include "export.h"

/* Prefetches memory that is read soon. */
#if defined(_MSC_VER)
#define PREFETCH(place) ((void)0)
#else
#define PREFETCH(place) __builtin_prefetch(place)
#endif

#endif
