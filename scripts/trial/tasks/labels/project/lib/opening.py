"""When the garden is open."""


def hours(month):
    return "9-18" if 4 <= month <= 9 else "10-16"
