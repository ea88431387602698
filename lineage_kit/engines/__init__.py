"""How one level of a walk is read; an engine turns nodes into integer keys and reads edges by them."""
