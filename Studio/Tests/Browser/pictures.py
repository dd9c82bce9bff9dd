"""Takes the pictures of the README and of Documentation/Studio.md: the bundled cities and countries in the page.

usage: pictures.py --programs DIRECTORY --data DIRECTORY --directory DIRECTORY --output DIRECTORY

Makes a realm of the data with the command `travertine`, where a city links to its country, and a country to its
neighbours, and shows it read-only. A picture that shows something else than it should, or has more than 150 KB,
fails it, and so does an error of the page.
"""

import argparse
import json
import os
import subprocess

import browser as driver
from page_test import expect, graph_is_whole, rows_are_there, title_is

largest_picture = 150_000
realm_name = "cities.realm"


def main():
    parser = argparse.ArgumentParser()
    for name in ("programs", "data", "directory", "output"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    options.programs = os.path.abspath(options.programs)
    make_realm(options)
    server = subprocess.Popen(
        [os.path.join(options.programs, "travertine-studio"), os.path.join(options.directory, realm_name), "--no-open"],
        stdout=subprocess.PIPE, text=True)
    page = None
    try:
        page = driver.Browser(driver.find(), width=1200, height=720)
        page.open(server.stdout.readline().strip())
        page.wait(title_is("City"))
        # The page has the whole path too, which leads to a temporary directory here.
        page.run(f"document.querySelector('.brand-path').textContent = {json.dumps('./' + realm_name)}")
        os.makedirs(options.output, exist_ok=True)
        take_table(page, os.path.join(options.output, "studio-table.png"))
        take_schema(page, os.path.join(options.output, "studio-schema.png"))
        found = page.problems()
        expect(not found, "the console has: " + "; ".join(found))
    finally:
        if page:
            page.close()
        server.kill()
        server.wait()


# The realm


def make_realm(options):
    """Imports the data, with the codes of countries as links to them."""
    countries, cities = (records(options.data, name) for name in ("countries", "cities"))
    codes = {country["iso"] for country in countries}
    write(options, "countries", "Country", {"neighbours": True}, [
        {"_id": country["iso"], "name": country["name"], "capital": country["capital"],
         "continent": country["continentcode"], "population": country["population"], "area": country["areakm2"],
         "neighbours": [code for code in country["neighbours"].split(",") if code in codes]}
        for country in countries])
    write(options, "cities", "City", {"country": False}, [
        {"_id": city["geonameid"], "name": city["name"], "population": city["population"],
         "country": city["countrycode"], "latitude": city["latitude"], "longitude": city["longitude"],
         "timezone": city["timezone"], "alternatenames": city["alternatenames"]}
        for city in cities])
    for name, type_name in (("countries", "Country"), ("cities", "City")):
        run(options, "import", realm_name, f"{name}.jsonl", "--documents", "--source", "schemas", "--type", type_name)


def records(directory, name):
    with open(os.path.join(directory, f"{name}.jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def write(options, name, type_name, links, objects):
    """Writes documents, their schema and its links: names of fields, with whether they are lists."""
    path = os.path.join(options.directory, f"{name}.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(each, ensure_ascii=False) + "\n" for each in objects)
    collection = os.path.join(options.directory, "schemas", "Places", name)
    os.makedirs(collection)
    schema = json.loads(run(options, "schema", "--sample", path))
    expect(schema["title"] == type_name, f"the schema is that of {schema['title']}")
    with open(os.path.join(collection, "schema.json"), "w", encoding="utf-8") as file:
        json.dump(schema, file)
    with open(os.path.join(collection, "relationships.json"), "w", encoding="utf-8") as file:
        json.dump({field: {"ref": "#/relationship/mongodb-atlas/Places/countries", "foreign_key": "_id",
                           "is_list": is_list} for field, is_list in links.items()}, file)


def run(options, *arguments):
    return subprocess.run([os.path.join(options.programs, "travertine"), *arguments], cwd=options.directory,
                          check=True, stdout=subprocess.PIPE, text=True).stdout


# The pictures


def take_table(page, path):
    """The largest cities of India, and one of them as an object."""
    page.click(".filter-input")
    page.type("country.name == 'India'")
    page.key("Escape")
    page.key("Enter")
    page.wait("/ of /.test(document.querySelector('.summary').textContent)")
    label = "[...document.querySelectorAll('.column-label')].find((e) => e.textContent.startsWith('population'))"
    for order in ("ascending", "descending"):
        page.run(f"{label}.click()")
        page.wait(f"document.querySelector('[aria-sort={order}]') !== null")
    page.wait("document.querySelector('.grid').getAttribute('aria-busy') === 'false' && "
              "document.querySelector('.grid-row[data-position=\"0\"]').textContent.includes('Mumbai')")
    page.click(".grid-row[data-position='0'] .cell:nth-child(3)")
    page.wait("document.querySelector('.detail:not([hidden]) .detail-title')?.textContent === 'Mumbai'")
    take(page, path)


def take_schema(page, path):
    page.click("#tab-schema")
    page.wait("document.querySelectorAll('.schema-graph .card').length === 2 && "
              "document.querySelectorAll('.schema-graph .line').length === 2")
    expect(page.run(graph_is_whole), "links lead out of the graph")
    page.resize(900, 420)
    take(page, path)


def take(page, path):
    # Two frames: what has just changed is painted then.
    page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.screenshot(path)
    size = os.path.getsize(path)
    print(f"{os.path.basename(path)}: {size:,} bytes")
    expect(size <= largest_picture, f"{path} has more than {largest_picture:,} bytes")


if __name__ == "__main__":
    main()
