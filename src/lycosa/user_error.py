"""What went wrong and can be put right by a person; the message says how."""


class Mendable(Exception):
    """An error whose message is a sentence for the person who can mend it."""
