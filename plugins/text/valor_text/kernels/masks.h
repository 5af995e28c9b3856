/* Masks: of each different token of a text, the rows where it stands, as bits. */

#ifndef VALOR_TEXT_MASKS_H
#define VALOR_TEXT_MASKS_H

#include "kernels.h"

enum { BITS = 64 };

/* Words of so many bits. */
static inline int64_t words_of(int64_t bits) { return (bits + BITS - 1) / BITS; }

/* Memory of at least `wanted` words, which may move; 0 where there is none. */
static inline int has_room(uint64_t **words, int64_t *room, int64_t wanted) {
    if (wanted > *room) {
        uint64_t *grown = realloc(*words, 2 * wanted * sizeof *grown);
        if (!grown) return 0;
        *words = grown;
        *room = 2 * wanted;
    }
    return 1;
}

/* Masks of a text's tokens, one behind the other; `places` (one of each number, else -1) says
 * which is whose. */
static inline int mask(uint64_t **masks, int64_t *room, const int32_t *text, int64_t rows,
                       int32_t *places) {
    const int64_t words = words_of(rows);
    int32_t different = 0;
    for (int64_t row = 0; row < rows; row++)
        if (places[text[row]] < 0) places[text[row]] = different++;
    if (!has_room(masks, room, different * words)) return 0;
    if (different) memset(*masks, 0, different * words * sizeof **masks);
    for (int64_t row = 0; row < rows; row++)
        (*masks)[places[text[row]] * words + row / BITS] |= (uint64_t)1 << row % BITS;
    return 1;
}

static inline void unmask(const int32_t *text, int64_t rows, int32_t *places) {
    for (int64_t row = 0; row < rows; row++) places[text[row]] = -1;
}

#endif
