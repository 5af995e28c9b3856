/* What the inner loops of the text metrics share. `numeric` says in Python what each function
 * has to find, to the last bit. Arrays, those to write to included, come from `compiled`, which
 * also says what they hold; memory for work is the only one that is asked for here. */

#ifndef VALOR_TEXT_KERNELS_H
#define VALOR_TEXT_KERNELS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define KERNEL __declspec(dllexport)
#else
#define KERNEL __attribute__((visibility("default")))
#endif

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

/* Answered where memory for work was asked for and not given. */
enum { NO_MEMORY = -1 };

/* Spreads the bits of a key over a word, of which the upper ones choose a place in a table. */
static inline uint64_t spread(uint64_t key) {
    key ^= key >> 32;
    key *= 0x9e3779b97f4a7c15u;
    return key ^ key >> 29;
}

/* A table of places for keys, at most half full: its size, a power of two. */
static inline int64_t table_size(int64_t most) {
    int64_t size = 1024;
    while (size < 2 * most) size *= 2;
    return size;
}

#endif
