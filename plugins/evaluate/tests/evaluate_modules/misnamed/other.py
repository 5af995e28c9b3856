"""A script that is not called like its folder."""
