"""Resources: what metrics need besides data, bound, opened, and what they tell."""
