/* What all kernels share. Functions take flat arrays, keep no state and call nothing of Python. */
#ifndef VALOR_SEGMENTATION_KERNELS_H
#define VALOR_SEGMENTATION_KERNELS_H

#include <stdint.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

/* Raised whenever the signature or the meaning of a function changes; kernels/__init__.py has the
   same number. */
#define INTERFACE 5

#endif
