"""How a question is walked: the level loop, what it has visited, and the frames made of it in the end."""
