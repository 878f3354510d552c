"""Wrong programs made by edits of right ones, with the truth of each written down before it was run."""
