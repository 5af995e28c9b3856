/* How many n-grams texts have in common. */

#include "kernels.h"

/* An n-gram of a response. */
typedef struct {
    uint64_t key;   /* the number of the (n-1)-gram that it begins with, and its last token */
    int32_t counts; /* how often the response has it */
    int32_t most;   /* how often the reference that has it most has it, at most `counts` */
    int32_t own;    /* how often the reference looked at has it */
} Ngram;

/* What the n-grams of one item need, as much as the largest item does. */
typedef struct {
    int32_t *response;  /* at each token, the number of the n-gram that begins there, or -1 */
    int32_t *reference; /* the same of the references, one behind the other */
    Ngram *ngrams;      /* the response's, by number */
    /* At an n-gram's place, `before` and one more than its number. What is not above `before` is
     * left from n-grams before, and free: nobody has to clear the table for each length. */
    int32_t *table;
    int64_t size, before;
} Work;

static int64_t places(int64_t tokens) {
    int64_t size = 16;
    while (size < 2 * tokens) size *= 2;
    return size;
}

static int has_work(Work *work, int64_t response, int64_t reference) {
    work->response = malloc((response + 1) * sizeof *work->response);
    work->reference = malloc((reference + 1) * sizeof *work->reference);
    work->ngrams = malloc((response + 1) * sizeof *work->ngrams);
    work->table = calloc(places(response), sizeof *work->table);
    work->size = places(response);
    work->before = 0;
    return work->response && work->reference && work->ngrams && work->table;
}

static void free_work(Work *work) {
    free(work->response);
    free(work->reference);
    free(work->ngrams);
    free(work->table);
}

static inline uint64_t key(int32_t shorter, int32_t last) {
    return (uint64_t)shorter << 32 | (uint32_t)last;
}

/* The place of an n-gram in a table of some size, or the free one where it would be. */
static inline int32_t *place(const Work *work, int64_t size, uint64_t wanted) {
    int64_t at = spread(wanted) & (size - 1);
    while (work->table[at] > work->before &&
           work->ngrams[work->table[at] - work->before - 1].key != wanted)
        at = (at + 1) & (size - 1);
    return work->table + at;
}

/* Numbers the response's n-grams; those that begin or end with an (n-1)-gram that no reference has
 * have none. What stands behind the one looked at is still the (n-1)-gram's. */
static int32_t number(Work *work, int64_t size, const int32_t *ids, int64_t count, int64_t n) {
    int32_t known = 0;
    for (int64_t at = 0; at + n <= count; at++) {
        uint64_t wanted;
        int32_t *own, one;
        if (n > 1 && (work->response[at] < 0 || work->response[at + 1] < 0)) {
            work->response[at] = -1;
            continue;
        }
        wanted = key(n > 1 ? work->response[at] : 0, ids[at + n - 1]);
        own = place(work, size, wanted);
        if (*own <= work->before) {
            work->ngrams[known] = (Ngram){wanted, 0, 0, 0};
            *own = (int32_t)(work->before + ++known);
        }
        one = (int32_t)(*own - work->before - 1);
        work->ngrams[one].counts++;
        work->response[at] = one;
    }
    return known;
}

/* How many more n-grams are in common for this reference, whose numbers stand in `numbers`. */
static int64_t more(Work *work, int64_t size, const int32_t *ids, int64_t count, int64_t n,
                    int32_t *numbers) {
    int64_t found = 0;
    for (int64_t at = 0; at + n <= count; at++) {
        Ngram *ngram;
        int64_t one;
        if (n > 1 && (numbers[at] < 0 || numbers[at + 1] < 0)) {
            numbers[at] = -1;
            continue;
        }
        one = *place(work, size, key(n > 1 ? numbers[at] : 0, ids[at + n - 1])) - work->before - 1;
        numbers[at] = one < 0 ? -1 : (int32_t)one;
        if (one < 0) continue;
        ngram = work->ngrams + one;
        ngram->own++;
        if (ngram->own > ngram->most && ngram->own <= ngram->counts) ngram->most++, found++;
    }
    return found;
}

/* Ends a length: numbers no n-gram that no reference has, and frees the table. */
static void leave(Work *work, int64_t count, int64_t n, int32_t known) {
    for (int64_t at = 0; at + n <= count; at++)
        if (work->response[at] >= 0 && !work->ngrams[work->response[at]].most)
            work->response[at] = -1;
    work->before += known;
    if (work->before > INT32_MAX / 2) {
        memset(work->table, 0, work->size * sizeof *work->table);
        work->before = 0;
    }
}

/* Number of n-grams, for each length up to `longest`, that each item's response and its references
 * have in common: of each n-gram as often as the response has it, but not more often than the
 * reference that has it most. The references of an item are
 * `references[reference_starts[item] ...]`; `common` has a row for each item. Answers NO_MEMORY
 * or 0. */
EXPORT(int64_t, common_ngrams, const int32_t *ids, const int64_t *starts, int64_t longest,
       const int64_t *responses, const int64_t *references, const int64_t *reference_starts,
       int64_t items, int64_t *common) {
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
        const int64_t size = places(count);
        memset(common, 0, longest * sizeof *common);
        for (int64_t n = 1; n <= longest && (n == 1 || common[n - 2]); n++) {
            const int32_t known = number(&work, size, response, count, n);
            int32_t *numbers = work.reference;
            for (int64_t at = reference_starts[item]; at < reference_starts[item + 1]; at++) {
                const int64_t first = starts[references[at]];
                const int64_t own = starts[references[at] + 1] - first;
                if (at > reference_starts[item])
                    for (int32_t one = 0; one < known; one++) work.ngrams[one].own = 0;
                common[n - 1] += more(&work, size, ids + first, own, n, numbers);
                numbers += own;
            }
            leave(&work, count, n, known);
        }
    }
    free_work(&work);
    return 0;
}
