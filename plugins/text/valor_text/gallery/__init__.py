"""The gallery of texts: responses beside references, with their differences marked."""
