/* Tokens and vocabularies of texts in code points of type CODE; TYPED(name) is what a function of
 * that type is called. Included once for each. */

/* End of the token that begins at `at`. */
static int64_t TYPED(token_end)(const CODE *codes, int64_t at, int64_t stop, const uint8_t *kinds) {
    const uint8_t kind = kinds[codes[at++]];
    if (is_word(kind))
        while (at < stop && is_word(kinds[codes[at]])) at++;
    else if (kind == DOLLAR && at < stop && kinds[codes[at]] == DIGIT)
        while (at < stop && kinds[codes[at]] == DIGIT) at++;
    else if (kind == MARK || kind == DOLLAR)
        while (at < stop && !is_between(kinds[codes[at]])) at++;
    return at;
}

/* Tokens of each text, by the kinds of its characters. Answers their number, which is that of the
 * characters at the most. */
EXPORT(int64_t, TYPED(runs), const CODE *codes, const int64_t *starts, const int64_t *stops,
       int64_t texts, const uint8_t *kinds, int64_t *firsts, int32_t *lengths, int32_t *lines,
       int64_t *token_starts) {
    int64_t count = 0;
    for (int64_t text = 0; text < texts; text++) {
        const int64_t stop = stops[text];
        int32_t line = 0;
        token_starts[text] = count;
        for (int64_t at = starts[text]; at < stop;) {
            const uint8_t kind = kinds[codes[at]];
            const int64_t first = at;
            if (is_between(kind)) {
                line += kind == LINE;
                at++;
                continue;
            }
            at = TYPED(token_end)(codes, at, stop, kinds);
            firsts[count] = first;
            lengths[count] = (int32_t)(at - first);
            lines[count++] = line;
        }
    }
    token_starts[texts] = count;
    return count;
}

/* A vocabulary: where each of its words stands, and a table of them by their hashes. */
typedef struct {
    const CODE *codes;
    Word *words;
    uint64_t *table; /* upper half of the hash, and one more than the word's number; 0 is free */
    int64_t size, known;
} TYPED(Vocabulary);

static uint64_t TYPED(hash_of)(const CODE *own, int32_t length) {
    uint64_t hash = 1469598103934665603u;
    for (int32_t i = 0; i < length; i++) hash = (hash ^ own[i]) * 1099511628211u;
    return spread(hash);
}

/* Equal hashes are no proof: words are compared in full. */
static int TYPED(stands_for)(const TYPED(Vocabulary) * all, uint64_t entry, const CODE *own,
                             int32_t length) {
    const Word *word = all->words + (uint32_t)entry - 1;
    if (word->length != length) return 0;
    for (int32_t i = 0; i < length; i++)
        if (all->codes[word->first + i] != own[i]) return 0;
    return 1;
}

static int TYPED(grow)(TYPED(Vocabulary) * all) {
    const int64_t size = 4 * all->size;
    uint64_t *table = calloc(size, sizeof *table);
    Word *words = realloc(all->words, size / 2 * sizeof *words);
    if (words) all->words = words;
    if (!table || !words) {
        free(table);
        return 0;
    }
    for (int64_t number = 0; number < all->known; number++) {
        const Word *word = all->words + number;
        const uint64_t hash = TYPED(hash_of)(all->codes + word->first, word->length);
        int64_t place = hash & (size - 1);
        while (table[place]) place = (place + 1) & (size - 1);
        table[place] = (hash >> 32 << 32) | (uint64_t)(number + 1);
    }
    free(all->table);
    all->table = table;
    all->size = size;
    return 1;
}

/* Number of a word, which is added if it is new; there is room for it. */
static int32_t TYPED(number_of)(TYPED(Vocabulary) * all, int64_t first, int32_t length,
                                uint64_t hash) {
    const CODE *own = all->codes + first;
    int64_t place = hash & (all->size - 1);
    for (; all->table[place]; place = (place + 1) & (all->size - 1)) {
        const uint64_t entry = all->table[place];
        if (entry >> 32 == hash >> 32 && TYPED(stands_for)(all, entry, own, length))
            return (int32_t)(uint32_t)entry - 1;
    }
    all->words[all->known].first = first;
    all->words[all->known].length = length;
    all->table[place] = (hash >> 32 << 32) | (uint64_t)++all->known;
    return (int32_t)all->known - 1;
}

/* Number of each token in a vocabulary of its own, in the order in which words come first;
 * `words` gets the first token of each word. Answers the number of words, or NO_MEMORY. */
EXPORT(int64_t, TYPED(vocabulary), const CODE *codes, const int64_t *firsts, const int32_t *lengths,
       int64_t count, int32_t *ids, int64_t *words) {
    TYPED(Vocabulary) all = {codes, NULL, NULL, 1024, 0};
    uint64_t hashes[BLOCK];
    if (!TYPED(grow)(&all)) {
        free(all.words);
        return NO_MEMORY;
    }
    for (int64_t start = 0; start < count; start += BLOCK) {
        const int64_t stop = start + BLOCK < count ? start + BLOCK : count;
        if (2 * (all.known + BLOCK) > all.size && !TYPED(grow)(&all)) {
            free(all.table);
            free(all.words);
            return NO_MEMORY;
        }
        for (int64_t token = start; token < stop; token++) {
            hashes[token - start] = TYPED(hash_of)(codes + firsts[token], lengths[token]);
            PREFETCH(all.table + (hashes[token - start] & (all.size - 1)));
        }
        for (int64_t token = start; token < stop; token++) {
            const int64_t known = all.known;
            ids[token] =
                TYPED(number_of)(&all, firsts[token], lengths[token], hashes[token - start]);
            if (all.known > known) words[known] = token;
        }
    }
    free(all.table);
    free(all.words);
    return all.known;
}
