"""The folder of stored answers: what is damaged, which document left what, what is to go."""
