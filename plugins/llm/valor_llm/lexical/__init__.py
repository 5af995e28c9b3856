"""Rules over sentences and words, by which the lexical client answers: no language model."""
