"""What recognized speech is made of before it is compared: words, however they were written."""
