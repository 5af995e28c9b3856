"""Clients of the judge: endpoints, SDKs, functions, recorded replies and lexical rules."""
