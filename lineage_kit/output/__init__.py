"""What is written: files and folders, whole or not at all, and never over what is not ours."""
