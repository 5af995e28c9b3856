/* Alignments of words by stages: the same word, the same stem, a synonym. */

#include "kernels.h"

/* Free words of the reference: the last one of each number, and for each word the previous one with
 * its number. nltk aligns both texts from their ends, so the last free word is the partner. */
typedef struct {
    int32_t *last, *before;
} Chains;

static void chain(Chains *free_words, const int32_t *numbers, int64_t count,
                  const uint8_t *is_taken) {
    for (int32_t at = 0; at < count; at++) {
        if (is_taken[at]) continue;
        free_words->before[at] = free_words->last[numbers[at]];
        free_words->last[numbers[at]] = at;
    }
}

static void unchain(Chains *free_words, const int32_t *numbers, int64_t count) {
    for (int64_t at = 0; at < count; at++) free_words->last[numbers[at]] = -1;
}

/* Gives each word of the response that has none the last free word of its number. */
static void match(Chains *free_words, const int32_t *response, int64_t count, int32_t *taken,
                  uint8_t *is_taken) {
    for (int64_t at = count - 1; at >= 0; at--) {
        int32_t found;
        if (taken[at] >= 0 || (found = free_words->last[response[at]]) < 0) continue;
        taken[at] = found;
        is_taken[found] = 1;
        free_words->last[response[at]] = free_words->before[found];
    }
}

/* The same with the last free word whose number is a synonym. */
static void match_synonyms(Chains *free_words, const int32_t *response, int64_t count,
                           const int32_t *synonyms, const int64_t *synonym_starts, int32_t *taken) {
    for (int64_t at = count - 1; at >= 0; at--) {
        const int32_t own = response[at];
        int32_t found = -1, number = -1;
        if (taken[at] >= 0) continue;
        for (int64_t one = synonym_starts[own]; one < synonym_starts[own + 1]; one++) {
            if (free_words->last[synonyms[one]] <= found) continue;
            number = synonyms[one];
            found = free_words->last[number];
        }
        if (found < 0) continue;
        taken[at] = found;
        free_words->last[number] = free_words->before[found];
    }
}

/* Words of each pair's response that are aligned to one of its reference, and in how many chunks:
 * runs of words that follow each other on both sides. `known` is one more than the greatest number
 * of a word or stem; the synonyms of a stem are `synonyms[synonym_starts[stem] ...]`. Answers
 * NO_MEMORY or 0. */
EXPORT(int64_t, alignments, const int32_t *ids, const int32_t *stems, const int64_t *starts,
       int64_t known, const int32_t *synonyms, const int64_t *synonym_starts,
       const int64_t *responses, const int64_t *references, int64_t pairs, int64_t *aligned,
       int64_t *chunks) {
    Chains free_words;
    int32_t *taken;
    uint8_t *is_taken;
    int64_t most = 0, answer = 0;
    for (int64_t pair = 0; pair < pairs; pair++) {
        const int64_t own = starts[responses[pair] + 1] - starts[responses[pair]];
        const int64_t other = starts[references[pair] + 1] - starts[references[pair]];
        if (own > most) most = own;
        if (other > most) most = other;
    }
    free_words.last = malloc((known + 1) * sizeof *free_words.last);
    free_words.before = malloc((most + 1) * sizeof *free_words.before);
    taken = malloc((most + 1) * sizeof *taken);
    is_taken = malloc(most + 1);
    if (!free_words.last || !free_words.before || !taken || !is_taken)
        answer = NO_MEMORY;
    else
        memset(free_words.last, -1, (known + 1) * sizeof *free_words.last);
    for (int64_t pair = 0; !answer && pair < pairs; pair++) {
        const int64_t first = starts[responses[pair]], other = starts[references[pair]];
        const int64_t count = starts[responses[pair] + 1] - first;
        const int64_t others = starts[references[pair] + 1] - other;
        int32_t next = -1;
        memset(taken, -1, count * sizeof *taken);
        memset(is_taken, 0, others);
        chain(&free_words, ids + other, others, is_taken);
        match(&free_words, ids + first, count, taken, is_taken);
        unchain(&free_words, ids + other, others);
        chain(&free_words, stems + other, others, is_taken);
        match(&free_words, stems + first, count, taken, is_taken);
        match_synonyms(&free_words, stems + first, count, synonyms, synonym_starts, taken);
        unchain(&free_words, stems + other, others);
        aligned[pair] = chunks[pair] = 0;
        for (int64_t at = 0; at < count; at++) {
            if (taken[at] >= 0) {
                aligned[pair]++;
                chunks[pair] += taken[at] != next || next < 0;
            }
            next = taken[at] < 0 ? -1 : taken[at] + 1;
        }
    }
    free(free_words.last);
    free(free_words.before);
    free(taken);
    free(is_taken);
    return answer;
}
