/* Stems of words in code points of type CODE; OF(name) is what a function of that type is called.
 * Included once for each. The words are lowercase and are changed in place: no rule makes a word
 * longer than it was. */

typedef struct {
    CODE *letters;
    int32_t length;
} OF(Letters);

static int OF(ends)(const OF(Letters) * word, const char *suffix) {
    const int32_t length = (int32_t)strlen(suffix);
    if (word->length < length) return 0;
    for (int32_t i = 0; i < length; i++)
        if (word->letters[word->length - length + i] != (CODE)suffix[i]) return 0;
    return 1;
}

/* Puts letters at the end of the first `stem` ones. */
static void OF(put)(OF(Letters) * word, int32_t stem, const char *ending) {
    word->length = stem;
    while (*ending) word->letters[word->length++] = (CODE)*ending++;
}

static int OF(is_vowel)(CODE letter) {
    return letter == 'a' || letter == 'e' || letter == 'i' || letter == 'o' || letter == 'u';
}

/* A `y` is a consonant unless a consonant precedes it. */
static int OF(is_consonant)(const CODE *letters, int32_t at) {
    int32_t first = at;
    while (first > 0 && letters[first] == 'y') first--;
    const int starts_with_consonant = !OF(is_vowel)(letters[first]);
    return starts_with_consonant != ((at - first) & 1);
}

/* Porter's measure of the first `length` letters: how often a consonant follows a vowel. */
static int32_t OF(measure)(const CODE *letters, int32_t length) {
    int32_t found = 0;
    int was_consonant = 1, before = 0;
    for (int32_t i = 0; i < length; i++) {
        const int consonant = letters[i] == 'y' ? !before : !OF(is_vowel)(letters[i]);
        found += consonant && !was_consonant;
        was_consonant = before = consonant;
    }
    return found;
}

static int OF(has_vowel)(const CODE *letters, int32_t length) {
    int before = 0;
    for (int32_t i = 0; i < length; i++) {
        before = letters[i] == 'y' ? !before : !OF(is_vowel)(letters[i]);
        if (!before) return 1;
    }
    return 0;
}

static int OF(ends_in_double_consonant)(const OF(Letters) * word) {
    const int32_t last = word->length - 1;
    return last >= 1 && word->letters[last] == word->letters[last - 1] &&
           OF(is_consonant)(word->letters, last);
}

/* Whether consonant, vowel and consonant end the word, as in `hop`, or it is like `at`. */
static int OF(ends_short)(const OF(Letters) * word) {
    const CODE *letters = word->letters;
    const int32_t length = word->length;
    if (length == 2) return !OF(is_consonant)(letters, 0) && OF(is_consonant)(letters, 1);
    if (length < 3) return 0;
    const CODE last = letters[length - 1];
    return OF(is_consonant)(letters, length - 3) && !OF(is_consonant)(letters, length - 2) &&
           OF(is_consonant)(letters, length - 1) && last != 'w' && last != 'x' && last != 'y';
}

/* Applies the first rule whose suffix fits, if its stem has more than `least` as its measure. */
static void OF(apply)(OF(Letters) * word, const Rule *rules, int32_t least) {
    for (; rules->suffix; rules++) {
        if (!OF(ends)(word, rules->suffix)) continue;
        const int32_t stem = word->length - (int32_t)strlen(rules->suffix);
        if (OF(measure)(word->letters, stem + rules->kept) <= least) return;
        if (rules->after_s_or_t && word->letters[stem - 1] != 's' && word->letters[stem - 1] != 't')
            return;
        OF(put)(word, stem, rules->ending);
        return;
    }
}

static void OF(plurals)(OF(Letters) * word) {
    const int32_t length = word->length;
    if (OF(ends)(word, "sses"))
        word->length -= 2;
    else if (OF(ends)(word, "ies"))
        word->length -= length == 4 ? 1 : 2;
    else if (OF(ends)(word, "s") && !OF(ends)(word, "ss"))
        word->length--;
}

static void OF(past_and_participle)(OF(Letters) * word) {
    const int32_t length = word->length;
    if (OF(ends)(word, "ied")) {
        word->length -= length == 4 ? 1 : 2;
        return;
    }
    if (OF(ends)(word, "eed")) {
        if (OF(measure)(word->letters, length - 3) > 0) word->length--;
        return;
    }
    if (OF(ends)(word, "ed") && OF(has_vowel)(word->letters, length - 2))
        word->length -= 2;
    else if (OF(ends)(word, "ing") && OF(has_vowel)(word->letters, length - 3))
        word->length -= 3;
    else
        return;
    const CODE last = word->letters[word->length - 1];
    const int is_lsz = last == 'l' || last == 's' || last == 'z';
    if (OF(ends)(word, "at") || OF(ends)(word, "bl") || OF(ends)(word, "iz"))
        OF(put)(word, word->length, "e");
    else if (OF(ends_in_double_consonant)(word))
        word->length -= !is_lsz;
    else if (OF(ends)(word, "*d")) /* nltk takes the name of its rule for a suffix, too */
        OF(put)(word, word->length - 2, "d");
    else if (OF(measure)(word->letters, word->length) == 1 && OF(ends_short)(word))
        OF(put)(word, word->length, "e");
}

static void OF(last_letters)(OF(Letters) * word) {
    if (OF(ends)(word, "e")) {
        const int32_t measure = OF(measure)(word->letters, word->length - 1);
        OF(Letters) stem = {word->letters, word->length - 1};
        if (measure > 1 || (measure == 1 && !OF(ends_short)(&stem))) word->length--;
    }
    if (OF(ends)(word, "ll") && OF(measure)(word->letters, word->length - 1) > 1) word->length--;
}

static int OF(is_irregular)(OF(Letters) * word) {
    for (const Rule *rule = IRREGULAR; rule->suffix; rule++)
        if (word->length == (int32_t)strlen(rule->suffix) && OF(ends)(word, rule->suffix)) {
            OF(put)(word, 0, rule->ending);
            return 1;
        }
    return 0;
}

/* Stems of words, in place: `lengths` becomes theirs. */
EXPORT(void, OF(stems), CODE *codes, const int64_t *firsts, int32_t *lengths, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        OF(Letters) word = {codes + firsts[i], lengths[i]};
        if (OF(is_irregular)(&word) || word.length <= 2) {
            lengths[i] = word.length;
            continue;
        }
        OF(plurals)(&word);
        OF(past_and_participle)(&word);
        if (OF(ends)(&word, "y") && word.length > 2 &&
            OF(is_consonant)(word.letters, word.length - 2))
            word.letters[word.length - 1] = 'i';
        if (OF(ends)(&word, "alli") && OF(measure)(word.letters, word.length - 4) > 0)
            word.length -= 2;
        OF(apply)(&word, DOUBLE_SUFFIXES, 0);
        OF(apply)(&word, FURTHER_SUFFIXES, 0);
        OF(apply)(&word, SINGLE_SUFFIXES, 1);
        OF(last_letters)(&word);
        lengths[i] = word.length;
    }
}
