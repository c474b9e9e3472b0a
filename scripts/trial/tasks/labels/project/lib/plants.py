"""Plants of the botanical garden."""
import csv


def load(path):
    with open(path, encoding="utf8") as file:
        return list(csv.DictReader(file, delimiter=";"))
