"""The frames engine: a level is a semi-join, in the user's own frames."""
