#!/usr/bin/env python3
"""Cuts the bundled subset out of the full GeoNames files.

Usage: python3 Examples/Data/subset.py DIRECTORY

DIRECTORY holds the full `cities.jsonl` and `countries.jsonl`. All countries are kept, and the
1,500 most populous cities with at most 8 alternate names each, so that the result stays small
enough for a repository. The output is the same, byte for byte, for the same input.
"""

import json
import pathlib
import sys

CITY_COUNT = 1500
ALTERNATE_NAME_COUNT_MAX = 8


def lines(path):
    with open(path, encoding="utf-8") as source:
        return [json.loads(line) for line in source]


def write(path, rows):
    with open(path, "w", encoding="utf-8", newline="\n") as target:
        for row in rows:
            target.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    source = pathlib.Path(sys.argv[1])
    target = pathlib.Path(__file__).parent

    cities = lines(source / "cities.jsonl")
    cities.sort(key=lambda city: (-city["population"], city["geonameid"]))
    cities = sorted(cities[:CITY_COUNT], key=lambda city: city["geonameid"])
    for city in cities:
        city["alternatenames"] = city["alternatenames"][:ALTERNATE_NAME_COUNT_MAX]
    countries = sorted(lines(source / "countries.jsonl"), key=lambda country: country["iso"])

    write(target / "cities.jsonl", cities)
    write(target / "countries.jsonl", countries)


main()
