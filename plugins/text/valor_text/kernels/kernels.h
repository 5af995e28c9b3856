/* What the inner loops of the text metrics share. `reference` says in Python what each function
 * has to find, to the last bit. Arrays, those to write to included, come from `compiled`, which
 * also says what they hold; memory for work is the only one that is asked for here. */

#ifndef VALOR_TEXT_KERNELS_H
#define VALOR_TEXT_KERNELS_H

#include <stdlib.h>
#include <string.h>

#include "export.h"

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

/* Answered where memory for work was asked for and not given. */
enum { NO_MEMORY = -1 };

/* Hash of a key. The factor is 2^64 divided by the golden ratio (Fibonacci hashing): consecutive
 * keys get distant hashes. The shifts let the upper half of the key, and then the upper bits of the
 * product, reach the lower bits, which tables use as an index. */
static inline uint64_t spread(uint64_t key) {
    key ^= key >> 32;
    key *= 0x9e3779b97f4a7c15u;
    return key ^ key >> 29;
}

#endif
