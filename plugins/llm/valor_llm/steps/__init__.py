"""Steps: what a judge is asked at a time, one schema each."""
