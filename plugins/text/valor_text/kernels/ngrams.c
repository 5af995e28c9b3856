/* How many n-grams texts have in common. */

#include "kernels.h"

/* The key of an n-gram, in a table with the number that stands for it; 0 is free. */
typedef struct {
    uint64_t key;
    int32_t number;
} Entry;

/* What the n-grams of one item need, as much as its largest item has. */
typedef struct {
    int32_t *response;  /* at each token, the number of the n-gram that begins there, or -1 */
    int32_t *reference; /* the same of the references, one behind the other */
    Entry *table;       /* the n-grams of the response */
    int32_t *counts;    /* how often the response has each of them */
    int32_t *most;      /* how often the reference that has it most has it, at most `counts` */
    int32_t *own;       /* how often the reference looked at has it */
} Work;

static int64_t entries(int64_t tokens) {
    int64_t size = 16;
    while (size < 2 * tokens) size *= 2;
    return size;
}

static int has_work(Work *work, int64_t response, int64_t reference) {
    work->response = malloc((response + 1) * sizeof *work->response);
    work->reference = malloc((reference + 1) * sizeof *work->reference);
    work->table = malloc(entries(response) * sizeof *work->table);
    work->counts = malloc((response + 1) * sizeof *work->counts);
    work->most = malloc((response + 1) * sizeof *work->most);
    work->own = malloc((response + 1) * sizeof *work->own);
    return work->response && work->reference && work->table && work->counts && work->most &&
           work->own;
}

static void free_work(Work *work) {
    free(work->response);
    free(work->reference);
    free(work->table);
    free(work->counts);
    free(work->most);
    free(work->own);
}

/* Where the n-gram stands that begins with the (n-1)-gram `shorter` and ends with `last`, or the
 * free place where it would. Numbers are below 2^31, so that a key with a bit more is never 0. */
static inline Entry *entry(Entry *table, int64_t size, int32_t shorter, int32_t last,
                           uint64_t *key) {
    int64_t place;
    *key = (uint64_t)1 << 63 | (uint64_t)shorter << 32 | (uint32_t)last;
    place = spread(*key) & (size - 1);
    while (table[place].key && table[place].key != *key) place = (place + 1) & (size - 1);
    return table + place;
}

/* Numbers the response's n-grams; those that begin with no (n-1)-gram in common have none. */
static int32_t number(Work *work, int64_t size, const int32_t *ids, int64_t count, int64_t n) {
    int32_t known = 0;
    memset(work->table, 0, size * sizeof *work->table);
    for (int64_t at = 0; at + n <= count; at++) {
        uint64_t key;
        Entry *own;
        if (n > 1 && work->response[at] < 0) continue;
        own = entry(work->table, size, n > 1 ? work->response[at] : 0, ids[at + n - 1], &key);
        if (!own->key) {
            own->key = key;
            own->number = known;
            work->counts[known] = work->most[known] = work->own[known] = 0;
            known++;
        }
        work->counts[own->number]++;
        work->response[at] = own->number;
    }
    return known;
}

/* How many more n-grams are in common for this reference, whose numbers stand in `numbers`. */
static int64_t more(Work *work, int64_t size, const int32_t *ids, int64_t count, int64_t n,
                    int32_t *numbers) {
    int64_t found = 0;
    for (int64_t at = 0; at + n <= count; at++) {
        uint64_t key;
        const Entry *own;
        int32_t one;
        if (n > 1 && numbers[at] < 0) continue;
        own = entry(work->table, size, n > 1 ? numbers[at] : 0, ids[at + n - 1], &key);
        numbers[at] = one = own->key ? own->number : -1;
        if (one < 0) continue;
        work->own[one]++;
        if (work->own[one] > work->most[one] && work->own[one] <= work->counts[one]) {
            work->most[one]++;
            found++;
        }
    }
    return found;
}

/* Number of n-grams, for each length up to `longest`, that each item's response and its references
 * have in common: of each n-gram as often as the response has it, but not more often than the
 * reference that has it most. The references of an item are
 * `references[reference_starts[item] ...]`; `common` has a row for each item. Answers NO_MEMORY
 * or 0. */
KERNEL int64_t common_ngrams(const int32_t *ids, const int64_t *starts, int64_t longest,
                             const int64_t *responses, const int64_t *references,
                             const int64_t *reference_starts, int64_t items, int64_t *common) {
    Work work;
    int64_t most_response = 0, most_reference = 0;
    for (int64_t item = 0; item < items; item++) {
        const int64_t count = starts[responses[item] + 1] - starts[responses[item]];
        int64_t all = 0;
        for (int64_t at = reference_starts[item]; at < reference_starts[item + 1]; at++)
            all += starts[references[at] + 1] - starts[references[at]];
        if (count > most_response) most_response = count;
        if (all > most_reference) most_reference = all;
    }
    if (!has_work(&work, most_response, most_reference)) {
        free_work(&work);
        return NO_MEMORY;
    }
    for (int64_t item = 0; item < items; item++, common += longest) {
        const int32_t *response = ids + starts[responses[item]];
        const int64_t count = starts[responses[item] + 1] - starts[responses[item]];
        const int64_t size = entries(count);
        memset(common, 0, longest * sizeof *common);
        for (int64_t n = 1; n <= longest && (n == 1 || common[n - 2]); n++) {
            const int32_t known = number(&work, size, response, count, n);
            int32_t *numbers = work.reference;
            for (int64_t at = reference_starts[item]; at < reference_starts[item + 1]; at++) {
                const int64_t first = starts[references[at]];
                const int64_t own = starts[references[at] + 1] - first;
                common[n - 1] += more(&work, size, ids + first, own, n, numbers);
                numbers += own;
                memset(work.own, 0, known * sizeof *work.own);
            }
            for (int64_t at = 0; at + n <= count; at++)
                if (work.response[at] >= 0 && !work.most[work.response[at]]) work.response[at] = -1;
        }
    }
    free_work(&work);
    return 0;
}
