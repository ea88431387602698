"""The door: what a user hands over is opened, told what it is called, checked, and becomes a canonical table."""
