/* Stems of words in code points of type CODE; TYPED(name) is what a function of that type is called.
 * Included once for each. The words are lowercase and are changed in place: no rule makes a word
 * longer than it was. */

typedef struct {
    CODE *letters;
    int32_t length;
} TYPED(Letters);

static int TYPED(ends)(const TYPED(Letters) * word, const char *suffix) {
    const int32_t length = (int32_t)strlen(suffix);
    if (word->length < length) return 0;
    for (int32_t i = 0; i < length; i++)
        if (word->letters[word->length - length + i] != (CODE)suffix[i]) return 0;
    return 1;
}

/* Puts letters at the end of the first `stem` ones. */
static void TYPED(put)(TYPED(Letters) * word, int32_t stem, const char *ending) {
    word->length = stem;
    while (*ending) word->letters[word->length++] = (CODE)*ending++;
}

static int TYPED(is_vowel)(CODE letter) {
    return letter == 'a' || letter == 'e' || letter == 'i' || letter == 'o' || letter == 'u';
}

/* A `y` is a consonant unless a consonant precedes it. */
static int TYPED(is_consonant)(const CODE *letters, int32_t at) {
    int32_t first = at;
    while (first > 0 && letters[first] == 'y') first--;
    const int starts_with_consonant = !TYPED(is_vowel)(letters[first]);
    return starts_with_consonant != ((at - first) & 1);
}

/* Porter's measure of the first `length` letters: how often a consonant follows a vowel. */
static int32_t TYPED(measure)(const CODE *letters, int32_t length) {
    int32_t found = 0;
    int was_consonant = 1, before = 0;
    for (int32_t i = 0; i < length; i++) {
        const int consonant = letters[i] == 'y' ? !before : !TYPED(is_vowel)(letters[i]);
        found += consonant && !was_consonant;
        was_consonant = before = consonant;
    }
    return found;
}

static int TYPED(has_vowel)(const CODE *letters, int32_t length) {
    int before = 0;
    for (int32_t i = 0; i < length; i++) {
        before = letters[i] == 'y' ? !before : !TYPED(is_vowel)(letters[i]);
        if (!before) return 1;
    }
    return 0;
}

static int TYPED(ends_in_double_consonant)(const TYPED(Letters) * word) {
    const int32_t last = word->length - 1;
    return last >= 1 && word->letters[last] == word->letters[last - 1] &&
           TYPED(is_consonant)(word->letters, last);
}

/* Whether consonant, vowel and consonant end the word, as in `hop`, or it is like `at`. */
static int TYPED(ends_short)(const TYPED(Letters) * word) {
    const CODE *letters = word->letters;
    const int32_t length = word->length;
    if (length == 2) return !TYPED(is_consonant)(letters, 0) && TYPED(is_consonant)(letters, 1);
    if (length < 3) return 0;
    const CODE last = letters[length - 1];
    return TYPED(is_consonant)(letters, length - 3) && !TYPED(is_consonant)(letters, length - 2) &&
           TYPED(is_consonant)(letters, length - 1) && last != 'w' && last != 'x' && last != 'y';
}

/* Applies the first rule whose suffix fits, if its stem has more than `least` as its measure. */
static void TYPED(apply)(TYPED(Letters) * word, const Rule *rules, int32_t least) {
    for (; rules->suffix; rules++) {
        if (!TYPED(ends)(word, rules->suffix)) continue;
        const int32_t stem = word->length - (int32_t)strlen(rules->suffix);
        if (TYPED(measure)(word->letters, stem + rules->kept) <= least) return;
        if (rules->after_s_or_t && word->letters[stem - 1] != 's' && word->letters[stem - 1] != 't')
            return;
        TYPED(put)(word, stem, rules->ending);
        return;
    }
}

static void TYPED(plurals)(TYPED(Letters) * word) {
    const int32_t length = word->length;
    if (TYPED(ends)(word, "sses"))
        word->length -= 2;
    else if (TYPED(ends)(word, "ies"))
        word->length -= length == 4 ? 1 : 2;
    else if (TYPED(ends)(word, "s") && !TYPED(ends)(word, "ss"))
        word->length--;
}

static void TYPED(past_and_participle)(TYPED(Letters) * word) {
    const int32_t length = word->length;
    if (TYPED(ends)(word, "ied")) {
        word->length -= length == 4 ? 1 : 2;
        return;
    }
    if (TYPED(ends)(word, "eed")) {
        if (TYPED(measure)(word->letters, length - 3) > 0) word->length--;
        return;
    }
    if (TYPED(ends)(word, "ed") && TYPED(has_vowel)(word->letters, length - 2))
        word->length -= 2;
    else if (TYPED(ends)(word, "ing") && TYPED(has_vowel)(word->letters, length - 3))
        word->length -= 3;
    else
        return;
    const CODE last = word->letters[word->length - 1];
    const int is_lsz = last == 'l' || last == 's' || last == 'z';
    if (TYPED(ends)(word, "at") || TYPED(ends)(word, "bl") || TYPED(ends)(word, "iz"))
        TYPED(put)(word, word->length, "e");
    else if (TYPED(ends_in_double_consonant)(word))
        word->length -= !is_lsz;
    else if (TYPED(ends)(word, "*d")) /* nltk takes the name of its rule for a suffix, too */
        TYPED(put)(word, word->length - 2, "d");
    else if (TYPED(measure)(word->letters, word->length) == 1 && TYPED(ends_short)(word))
        TYPED(put)(word, word->length, "e");
}

static void TYPED(last_letters)(TYPED(Letters) * word) {
    if (TYPED(ends)(word, "e")) {
        const int32_t measure = TYPED(measure)(word->letters, word->length - 1);
        TYPED(Letters) stem = {word->letters, word->length - 1};
        if (measure > 1 || (measure == 1 && !TYPED(ends_short)(&stem))) word->length--;
    }
    if (TYPED(ends)(word, "ll") && TYPED(measure)(word->letters, word->length - 1) > 1)
        word->length--;
}

static int TYPED(is_irregular)(TYPED(Letters) * word) {
    for (const Rule *rule = IRREGULAR; rule->suffix; rule++)
        if (word->length == (int32_t)strlen(rule->suffix) && TYPED(ends)(word, rule->suffix)) {
            TYPED(put)(word, 0, rule->ending);
            return 1;
        }
    return 0;
}

/* Stems of words, in place: `lengths` becomes theirs. */
EXPORT(void, TYPED(stems), CODE *codes, const int64_t *firsts, int32_t *lengths, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        TYPED(Letters) word = {codes + firsts[i], lengths[i]};
        if (TYPED(is_irregular)(&word) || word.length <= 2) {
            lengths[i] = word.length;
            continue;
        }
        TYPED(plurals)(&word);
        TYPED(past_and_participle)(&word);
        if (TYPED(ends)(&word, "y") && word.length > 2 &&
            TYPED(is_consonant)(word.letters, word.length - 2))
            word.letters[word.length - 1] = 'i';
        if (TYPED(ends)(&word, "alli") && TYPED(measure)(word.letters, word.length - 4) > 0)
            word.length -= 2;
        TYPED(apply)(&word, DOUBLE_SUFFIXES, 0);
        TYPED(apply)(&word, FURTHER_SUFFIXES, 0);
        TYPED(apply)(&word, SINGLE_SUFFIXES, 1);
        TYPED(last_letters)(&word);
        lengths[i] = word.length;
    }
}
