/* What all kernels share. Functions take flat arrays, keep no state and call nothing of Python. */
#ifndef VALOR_DETECTION_KERNELS_H
#define VALOR_DETECTION_KERNELS_H

#include "export.h"

/* Has a place of memory brought near; it is read soon. */
#if defined(_MSC_VER)
#define PREFETCH(place) ((void)0)
#else
#define PREFETCH(place) __builtin_prefetch(place)
#endif

#endif
