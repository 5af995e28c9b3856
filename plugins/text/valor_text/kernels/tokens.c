/* Texts of code points become tokens, and tokens become numbers of a vocabulary. */

#include "kernels.h"

/* Kinds of characters, as in `kernels/kinds.py`. */
enum { BETWEEN = 0, WORD = 1, ALONE = 2, LINE = 3 };

/* Tokens of each text: runs of WORD, and each ALONE for itself; a LINE is between tokens too.
 * Without room for them (`firsts` is null) they are only counted. Answers their number. */
KERNEL int64_t runs(const uint32_t *codes, const int64_t *starts, const int64_t *stops,
                    int64_t texts, const uint8_t *kinds, int64_t *firsts, int32_t *lengths,
                    int32_t *lines, int64_t *token_starts) {
    int64_t count = 0;
    for (int64_t text = 0; text < texts; text++) {
        const int64_t stop = stops[text];
        int32_t line = 0;
        if (firsts) token_starts[text] = count;
        for (int64_t at = starts[text]; at < stop;) {
            const uint8_t kind = kinds[codes[at]];
            const int64_t first = at++;
            if (kind == LINE) line++;
            if (kind != WORD && kind != ALONE) continue;
            if (kind == WORD)
                while (at < stop && kinds[codes[at]] == WORD) at++;
            if (firsts) {
                firsts[count] = first;
                lengths[count] = (int32_t)(at - first);
                lines[count] = line;
            }
            count++;
        }
    }
    if (firsts) token_starts[texts] = count;
    return count;
}

/* Number of each token in a vocabulary of its own, in the order in which words come first;
 * `words` gets where each word of it stands. Answers the number of words, or NO_MEMORY. */
KERNEL int64_t vocabulary(const uint32_t *codes, const int64_t *firsts, const int32_t *lengths,
                          int64_t count, int32_t *ids, int64_t *words) {
    int64_t size = table_size(count < 4096 ? count : 4096), known = 0;
    int32_t *table = malloc(size * sizeof *table);
    uint64_t *hashes = malloc((count + 1) * sizeof *hashes);
    if (!table || !hashes) {
        free(table);
        free(hashes);
        return NO_MEMORY;
    }
    memset(table, -1, size * sizeof *table);
    for (int64_t token = 0; token < count; token++) {
        const uint32_t *own = codes + firsts[token];
        const int32_t length = lengths[token];
        uint64_t hash = 1469598103934665603u;
        int64_t place;
        for (int32_t i = 0; i < length; i++) hash = (hash ^ own[i]) * 1099511628211u;
        hash = spread(hash);
        for (place = hash & (size - 1); table[place] >= 0; place = (place + 1) & (size - 1)) {
            const int64_t word = words[table[place]];
            if (hashes[table[place]] == hash && lengths[word] == length &&
                !memcmp(codes + firsts[word], own, length * sizeof *own))
                break;
        }
        if (table[place] < 0) {
            hashes[known] = hash;
            words[known] = token;
            table[place] = (int32_t)known++;
        }
        ids[token] = table[place];
        if (2 * known >= size) {
            free(table);
            size *= 2;
            table = malloc(size * sizeof *table);
            if (!table) {
                free(hashes);
                return NO_MEMORY;
            }
            memset(table, -1, size * sizeof *table);
            for (int64_t word = 0; word < known; word++) {
                place = hashes[word] & (size - 1);
                while (table[place] >= 0) place = (place + 1) & (size - 1);
                table[place] = (int32_t)word;
            }
        }
    }
    free(table);
    free(hashes);
    return known;
}
