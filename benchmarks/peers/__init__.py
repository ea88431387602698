"""Other ways to the same walk, each set up as well as we know how. None of them follows replacements or sets flags."""
