/* What all kernels share. Functions take flat arrays, keep no state and call nothing of Python. */
#ifndef VALOR_SEGMENTATION_KERNELS_H
#define VALOR_SEGMENTATION_KERNELS_H

#include <stdint.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

#endif
