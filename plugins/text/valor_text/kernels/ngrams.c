/* N-grams as numbers, and how many of them texts have in common. */

#include "kernels.h"

/* The key of an n-gram, in a table with the number that stands for it; 0 is free. */
typedef struct {
    uint64_t key;
    int32_t number;
} Entry;

enum { AHEAD = 8 }; /* n-grams whose places are asked of memory before their turn */

/* Numbers of the n-grams that begin with each (n-1)-gram and end with the token `n - 1` places
 * further on; -1 where the text ends before. Answers how many are different, or NO_MEMORY. */
KERNEL int64_t longer_ngrams(const int32_t *shorter, const int32_t *ids, const int64_t *starts,
                             int64_t texts, int64_t n, int32_t *longer) {
    const int64_t size = table_size(starts[texts] - starts[0]);
    Entry *table = calloc(size, sizeof *table);
    int32_t known = 0;
    if (!table) return NO_MEMORY;
    for (int64_t text = 0; text < texts; text++) {
        const int64_t last = starts[text + 1] - n;
        int64_t at = starts[text];
        for (; at <= last; at++) {
            /* Numbers are below 2^31, so that a key with a bit more is never 0. */
            const uint64_t key =
                (uint64_t)1 << 63 | (uint64_t)shorter[at] << 32 | (uint32_t)ids[at + n - 1];
            int64_t place = spread(key) & (size - 1);
            if (at + AHEAD <= last) {
                const uint64_t later = (uint64_t)1 << 63 | (uint64_t)shorter[at + AHEAD] << 32 |
                                       (uint32_t)ids[at + AHEAD + n - 1];
                PREFETCH(table + (spread(later) & (size - 1)));
            }
            while (table[place].key && table[place].key != key) place = (place + 1) & (size - 1);
            if (!table[place].key) {
                table[place].key = key;
                table[place].number = known++;
            }
            longer[at] = table[place].number;
        }
        for (; at < starts[text + 1]; at++) longer[at] = -1;
    }
    free(table);
    return known;
}

/* Number of n-grams that each item's response and its references have in common: of each n-gram,
 * as often as the response has it, but not more often than the reference that has it most.
 * `ngrams` are numbers below `known`, or -1; of an item, the references are
 * `references[reference_starts[item] ...]`. Answers NO_MEMORY or 0. */
KERNEL int64_t common_ngrams(const int32_t *ngrams, const int64_t *starts, int64_t known,
                             const int64_t *responses, const int64_t *references,
                             const int64_t *reference_starts, int64_t items, int64_t *common) {
    int32_t *most = calloc(known + 1, sizeof *most), *own = calloc(known + 1, sizeof *own);
    if (!most || !own) {
        free(most);
        free(own);
        return NO_MEMORY;
    }
    most++, own++; /* so that there is room for the number -1, which is counted and never read */
    for (int64_t item = 0; item < items; item++) {
        const int64_t *reference = references + reference_starts[item];
        const int64_t *end = references + reference_starts[item + 1];
        const int64_t first = starts[responses[item]], last = starts[responses[item] + 1];
        int64_t found = 0;
        for (const int64_t *one = reference; one < end; one++) {
            for (int64_t at = starts[*one]; at < starts[*one + 1]; at++)
                if (++own[ngrams[at]] > most[ngrams[at]]) most[ngrams[at]] = own[ngrams[at]];
            for (int64_t at = starts[*one]; at < starts[*one + 1]; at++) own[ngrams[at]] = 0;
        }
        most[-1] = 0;
        for (int64_t at = first; at < last; at++)
            if (most[ngrams[at]] > 0) most[ngrams[at]]--, found++;
        for (const int64_t *one = reference; one < end; one++)
            for (int64_t at = starts[*one]; at < starts[*one + 1]; at++) most[ngrams[at]] = 0;
        common[item] = found;
    }
    free(most - 1);
    free(own - 1);
    return 0;
}
