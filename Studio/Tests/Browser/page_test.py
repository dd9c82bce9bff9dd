"""Tests the page of Travertine Studio in a headless browser, against a realm that another process writes to.

usage: page_test.py --programs DIRECTORY --directory DIRECTORY --objects COUNT --screenshots DIRECTORY

Each feature is a function whose name begins with `test_`; they run in order, in one page, each from a known
address. Ends with 1 if one has failed or the page has caused an error.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import time
import traceback

import accessibility
import browser as driver
import measuring


class Studio:
    """The server, the page, and a process that writes to the realm."""

    def __init__(self, options):
        self.options = options
        self.realm = os.path.join(options.directory, "sample.realm")
        os.makedirs(options.screenshots, exist_ok=True)
        self.others = []
        start = time.monotonic()
        subprocess.run([self.program("studio-sample"), self.realm, str(options.objects)], check=True)
        print(f"made a realm with {options.objects} visits in {time.monotonic() - start:.1f} s")
        self.writer = subprocess.Popen(
            [self.program("studio-sample"), self.realm, "--write"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.answer("ready")
        start = time.monotonic()
        self.server, self.address = self.serve()
        print(f"the server was ready after {time.monotonic() - start:.2f} s")
        try:
            self.page = driver.Browser(driver.find())
        except BaseException:
            self.end_processes()
            raise

    def serve(self, *arguments):
        """Starts a server; gives the process and the address."""
        server = subprocess.Popen(
            [self.program("travertine-studio"), self.realm, "--no-open", *arguments],
            stdout=subprocess.PIPE, text=True)
        return server, server.stdout.readline().strip()

    def program(self, name):
        return os.path.join(self.options.programs, name)

    def close(self):
        self.page.close()
        self.end_processes()

    def end_processes(self):
        for process in (self.server, self.writer, *self.others):
            process.kill()
            process.wait()

    def write(self, line):
        """Has the other process make a commit."""
        self.writer.stdin.write(line + "\n")
        self.writer.stdin.flush()
        self.answer(f"done {line}")

    def answer(self, wanted):
        line = self.writer.stdout.readline().strip()
        if line != wanted:
            raise AssertionError(f"the writing process has answered “{line}” and not “{wanted}”")

    def shot(self, name):
        self.page.screenshot(os.path.join(self.options.screenshots, f"{name}.png"))

    def go(self, fragment, condition):
        """Shows a view, and waits until it is there."""
        self.page.run(f"location.hash = {json.dumps(fragment)}")
        self.page.wait(condition)

    def cells(self, column):
        """The texts of a column of the rows in view."""
        return self.page.run(
            "[...document.querySelectorAll('.grid-row:not([hidden])')]"
            ".sort((a, b) => a.dataset.position - b.dataset.position)"
            f".map((row) => row.children[{column}].textContent)")

    def filter(self, text):
        """Enters a condition."""
        self.page.run("document.querySelector('.filter-input').focus(); document.querySelector('.filter-input').select()")
        self.page.key("a", modifiers=2)
        if text:
            self.page.type(text)
        else:
            self.page.key("Escape")
            self.page.key("Escape")
        self.page.key("Escape")
        self.page.key("Enter")


def expect_refusal(studio, status):
    """The browser notes each refusal in its console; there must be this one and no other."""
    found = studio.page.problems()
    expect(found and all(f"status of {status}" in problem for problem in found), found)


def wait_while_loading(page, condition):
    """Waits in a page that is loaded again, where the browser evaluates nothing for a moment."""
    deadline = time.monotonic() + 20
    while True:
        try:
            return page.wait(condition, deadline - time.monotonic())
        except driver.BrowserError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.03)


def expect(condition, message):
    if not condition:
        raise AssertionError(message)


rows_are_there = ("document.querySelector('.grid').getAttribute('aria-busy') === 'false' && "
                  "document.querySelector('.grid-row:not([hidden]):not(.waiting)') !== null")


first_position = ("Math.min(...[...document.querySelectorAll('.grid-row:not([hidden])')]"
                  ".map((row) => Number(row.dataset.position)))")


# Links bend beside their cards; what is outside the graph is not seen.
graph_is_whole = """(() => {
  const graph = document.querySelector('.schema-graph').viewBox.baseVal;
  return [...document.querySelectorAll('.schema-graph .line')].every((line) => {
    const box = line.getBBox();
    return box.x >= 0 && box.y >= 0 && box.x + box.width <= graph.width && box.y + box.height <= graph.height;
  });
})()"""


def title_is(name):
    return f"document.querySelector('.view-title')?.textContent === '{name}' && {rows_are_there}"


def test_key_is_exchanged_and_removed_from_the_address(studio):
    studio.page.open(studio.address)
    studio.page.wait(title_is("City"))
    expect("key" not in studio.page.run("location.href"), "the key is still in the address")
    expect(studio.page.run("document.cookie") == "", "a script can read the cookie")
    studio.page.open(studio.address.split("#")[0])
    studio.page.wait(title_is("City"))
    studio.shot("objects")


def test_types_with_counts(studio):
    names = studio.page.run("[...document.querySelectorAll('.type-name')].map((e) => e.textContent)")
    expect(names == ["City", "Country", "Person", "Visit", "Address", "Place", "Telemetry"], names)
    count = studio.page.run("document.querySelector('[data-type=Visit] .type-count').textContent")
    expect(count == f"{studio.options.objects:,}", count)


def test_scrolling_reaches_the_last_row(studio):
    studio.go("#/objects/Visit", title_is("Visit"))
    total = studio.options.objects
    studio.page.run("document.querySelector('.grid').focus()")
    studio.page.key("End")
    studio.page.wait(f"[...document.querySelectorAll('.grid-row:not(.waiting)')]"
                     f".some((row) => row.dataset.position === '{total - 1}')")
    studio.page.wait("document.querySelectorAll('.grid-row:not([hidden]).waiting').length === 0")
    expect(studio.cells(0)[-1] == f"{total:,}", studio.cells(0)[-3:])
    expect(studio.page.run("document.querySelectorAll('.grid-row').length") < 120, "too many elements")
    studio.shot("last-rows")
    studio.page.run("document.querySelector('.grid-scroll').scrollTop = "
                    "document.querySelector('.grid-scroll').scrollHeight / 2")
    studio.page.wait(f"Math.abs({first_position} - {total / 2}) < {total / 20}")
    studio.page.wait("document.querySelectorAll('.grid-row:not([hidden]).waiting').length === 0")
    middle = studio.page.run(first_position)
    # By the wheel, row by row, also where the height is scaled.
    studio.page.wheel(700, 500, 320)
    studio.page.wait(f"{first_position} >= {middle + 8}")
    moved = studio.page.run(first_position) - middle
    expect(8 <= moved <= 12, f"the wheel has moved by {moved} rows")


def test_sorting_by_a_column(studio):
    studio.go("#/objects/City", title_is("City"))
    name = "[...document.querySelectorAll('.column-label')].find((e) => e.textContent.startsWith('population'))"
    studio.page.run(f"{name}.click()")
    studio.page.wait("document.querySelector('[aria-sort=ascending]') !== null")
    studio.page.wait(rows_are_there)
    numbers = [int(text) for text in studio.cells(4)]
    expect(numbers == sorted(numbers), numbers[:6])
    studio.page.run(f"{name}.click()")
    studio.page.wait("document.querySelector('[aria-sort=descending]') !== null")
    studio.page.wait(rows_are_there)
    numbers = [int(text) for text in studio.cells(4)]
    expect(numbers == sorted(numbers, reverse=True), numbers[:6])
    studio.page.run(f"{name}.click()")
    studio.page.wait("document.querySelector('[aria-sort=descending]') === null")


def test_resizing_a_column(studio):
    width = "document.querySelectorAll('.grid-head .cell')[2].offsetWidth"
    before = studio.page.run(width)
    studio.page.drag(".grid-head .cell:nth-child(3) .resizer", 60)
    expect(abs(studio.page.run(width) - before - 60) < 3, "the head has not followed")
    expect(studio.page.run("document.querySelector('.grid-row').children[2].offsetWidth")
           == studio.page.run(width), "rows have another width than the head")
    studio.page.drag(".grid-head .cell:nth-child(3) .resizer", -60)


def test_filter_with_completion_mistakes_and_plan(studio):
    studio.go("#/objects/City", title_is("City"))
    studio.page.click(".filter-input")
    studio.page.type("pop")
    studio.page.wait("document.querySelector('.completions:not([hidden]) li')?.dataset.word === 'population'")
    studio.page.key("Tab")
    expect(studio.page.run("document.querySelector('.filter-input').value") == "population ", "not completed")
    studio.page.type("> 2000000 AND nam == 'x'")
    studio.page.key("Escape")
    studio.page.key("Enter")
    studio.page.wait("!document.querySelector('.filter-error').hidden")
    lines = studio.page.run("document.querySelector('.filter-error pre').textContent").split("\n")
    expect(lines[0][lines[1].index("^"):].startswith("nam"), lines)
    studio.shot("mistake")
    expect_refusal(studio, 422)
    studio.filter("population > 2000000 AND name BEGINSWITH 'P'")
    studio.page.wait("document.querySelector('.filter-error').hidden && "
                     "/ of /.test(document.querySelector('.summary').textContent)")
    expect(all(text.startswith("P") for text in studio.cells(2)), studio.cells(2)[:5])
    studio.page.click(".filter-line .quiet-button")
    studio.page.wait("/index City\\(/.test(document.querySelector('.plan pre')?.textContent)")
    studio.page.run("document.querySelector('.plan button').click()")
    studio.page.wait("/found \\d+ among/.test(document.querySelector('.plan pre')?.textContent)")
    studio.shot("filter")
    studio.page.click(".filter-line .quiet-button")
    studio.filter("name == 'nobody'")
    studio.page.wait("document.querySelector('.grid-place .empty:not([hidden]) h2')?.textContent === 'Nothing found'")
    studio.shot("nothing-found")
    studio.page.click(".grid-place .empty .button")
    studio.page.wait(f"document.querySelector('.filter-input').value === '' && {rows_are_there}")


def test_object_with_links_and_back(studio):
    studio.go("#/objects/Person", title_is("Person"))
    studio.page.click(".grid-row:nth-child(3) .cell:nth-child(3)")
    studio.page.wait("document.querySelector('.detail:not([hidden]) .fields') !== null")
    first = studio.page.run("document.querySelector('.detail-title').textContent")
    studio.page.wait("document.querySelector('.detail .picture')?.naturalWidth === 48")
    studio.shot("object")
    studio.page.run("[...document.querySelectorAll('.detail summary')].forEach((e) => { e.parentElement.open = true; })")
    expect(studio.page.run("document.querySelectorAll('.detail .hex').length") >= 1, "no bytes are shown")
    city = "[...document.querySelectorAll('.detail .chip')].find((e) => e.textContent.startsWith('City'))"
    studio.page.run(f"{city}.click()")
    studio.page.wait("document.querySelector('.type-tag').textContent === 'City' && "
                     "document.querySelector('.detail .map') !== null")
    studio.shot("linked-object")
    studio.page.click(".detail-head .icon-button")
    studio.page.wait(f"document.querySelector('.detail-title').textContent === {json.dumps(first)}")
    studio.page.key("Escape")
    studio.page.run("document.querySelector('.detail [aria-label=\"Close the object\"]').click()")
    studio.page.wait("document.querySelector('.detail').hidden")


def test_keys(studio):
    studio.go("#/objects/City", title_is("City"))
    studio.page.run("document.querySelector('.grid').focus()")
    studio.page.key("Home")
    for name in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight"):
        studio.page.key(name)
    studio.page.wait("document.querySelector('.grid').getAttribute('aria-activedescendant') === 'cell-2-2'")
    studio.page.key("Enter")
    studio.page.wait("document.querySelector('.detail:not([hidden]) .detail-title')?.textContent === 'Graz'")
    studio.page.key("Enter", modifiers=8)
    studio.page.wait("document.querySelector('.type-tag')?.textContent === 'Country'")
    studio.page.run("history.back()")
    studio.page.wait("document.querySelector('.type-tag')?.textContent === 'City'")
    studio.page.run("document.querySelector('.detail [aria-label=\"Close the object\"]').click()")
    studio.page.wait("document.activeElement === document.querySelector('.grid')")
    studio.page.key("/")
    studio.page.wait("document.activeElement === document.querySelector('.filter-input')")


def test_rows_follow_another_process(studio):
    studio.go("#/objects/City", title_is("City"))
    studio.page.run("document.querySelector('.grid').focus()")
    studio.page.key("Home")
    studio.write("rename 2 Lugdunum")
    studio.page.wait("[...document.querySelectorAll('.cell.fresh')].some((e) => e.textContent === 'Lugdunum')")
    studio.shot("live")
    count = int(studio.page.run("document.querySelector('[data-type=Visit] .type-count').textContent").replace(",", ""))
    studio.write("add")
    studio.page.wait(f"document.querySelector('[data-type=Visit] .type-count').textContent === '{count + 1:,}'")
    studio.page.click(".grid-row:nth-child(4) .cell:nth-child(3)")
    studio.page.wait("document.querySelector('.detail-title')?.textContent === 'Gent'")
    studio.write("delete 4")
    studio.page.wait("document.querySelector('.detail-title').textContent === 'Deleted'")
    studio.shot("deleted")
    expect_refusal(studio, 410)


def test_schema(studio):
    studio.page.click("#tab-schema")
    studio.page.wait("document.querySelectorAll('.schema-graph .card').length === 7")
    expect(studio.page.run("document.querySelectorAll('.schema-graph .line').length") == 8, "lines are missing")
    overlap = studio.page.run("""(() => {
      const boxes = [...document.querySelectorAll('.card-box')].map((e) => e.getBoundingClientRect());
      return boxes.some((a, i) => boxes.some((b, j) => i < j && a.left < b.right && b.left < a.right
        && a.top < b.bottom && b.top < a.bottom));
    })()""")
    expect(not overlap, "cards cover each other")
    expect(studio.page.run(graph_is_whole), "links lead out of the graph")
    studio.shot("schema")


def test_space(studio):
    studio.page.click("#tab-space")
    studio.page.wait("document.querySelectorAll('.segments .segment').length > 0")
    studio.page.run("document.querySelector('.space .button').click()")
    studio.page.wait("[...document.querySelectorAll('.tile-label')].some((e) => e.textContent === 'Disk ÷ data')", 60)
    expect("live of" in studio.page.run("document.querySelector('.space').textContent"), "pages are not measured")
    studio.shot("space")


def test_verification_and_backup(studio):
    studio.page.click("#tab-maintenance")
    studio.page.run("document.querySelectorAll('.maintenance .button.primary')[0].click()")
    studio.page.wait("document.querySelector('.job.done, .job.failed') !== null", 300)
    expect("sound" in studio.page.run("document.querySelector('.job').textContent"), "not sound")
    studio.page.run("document.querySelectorAll('.maintenance .button.primary')[1].click()")
    studio.page.wait("document.querySelectorAll('.job.done').length === 2", 300)
    path = studio.page.run("document.querySelector('.job .path').textContent")
    expect(os.path.exists(os.path.join(path, "backup")), f"there is no backup at {path}")
    studio.shot("maintenance")


def test_dark(studio):
    studio.page.dark(True)
    studio.go("#/objects/Person?object=" + studio.page.run(
        "encodeURIComponent('=653000000000000000000002')"), title_is("Person"))
    studio.page.wait("document.querySelector('.detail .fields') !== null")
    expect(studio.page.run("getComputedStyle(document.body).backgroundColor") != "rgb(247, 245, 241)", "not dark")
    studio.shot("dark")
    studio.page.dark(False)


def test_narrow_window(studio):
    studio.page.resize(900, 640)
    studio.go("#/objects/City", title_is("City"))
    expect(studio.page.run("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than its window")
    studio.shot("narrow")
    studio.page.resize(1440, 900)


def test_accessibility(studio):
    for fragment, condition in (
            ("#/objects/Person", title_is("Person")), ("#/schema", "document.querySelector('.card')"),
            ("#/space", "document.querySelector('.tile')"), ("#/maintenance", "document.querySelector('.jobs')")):
        studio.go(fragment, condition + " !== null" if "querySelector" in condition and "===" not in condition else condition)
        for scheme in (False, True):
            studio.page.dark(scheme)
            problems = accessibility.problems(studio.page)
            expect(not problems, f"{fragment}{' (dark)' if scheme else ''}: " + "; ".join(problems[:12]))
    studio.page.dark(False)


def test_page_without_key_shows_nothing(studio):
    studio.page.command("Network.clearBrowserCookies")
    studio.page.open(studio.address.split("#")[0] + "?again")
    studio.page.wait("document.querySelector('.empty.whole h1')?.textContent === 'This page needs its key'")
    studio.shot("no-key")
    expect_refusal(studio, 401)


def test_address_that_is_pasted_into_an_open_page(studio):
    # Only the fragment changes: the page has to notice.
    fragment = studio.address.split("#")[1]
    studio.page.run(f"location.hash = {json.dumps(fragment)}")
    wait_while_loading(studio.page, "document.querySelector('.grid-row:not([hidden]):not(.waiting)') !== null")
    expect(studio.page.run("location.hash") == "", "the key stays in the address")
    studio.page.run(f"location.hash = {json.dumps(fragment)}; window.isOld = true")
    wait_while_loading(studio.page, "window.isOld === undefined && location.hash === '' "
                       "&& document.querySelector('.grid-row:not([hidden]):not(.waiting)') !== null")


def test_addresses_that_are_no_route(studio):
    for fragment in ("#/objects/%", "#/constructor", "#/__proto__/x"):
        studio.go(fragment, "document.querySelector('.grid-row:not([hidden]):not(.waiting)') !== null")


def test_cookie_is_not_sent_to_other_ports(studio):
    # Cookies don't distinguish ports, so another user's server would get one that is for all paths.
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    listener.settimeout(20)
    here = studio.page.run("location.href")
    studio.page.run(f"location.href = 'http://127.0.0.1:{listener.getsockname()[1]}/'")
    connection, _ = listener.accept()
    head = connection.recv(8192).decode()
    connection.sendall(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
    connection.close()
    listener.close()
    expect(head.startswith("GET / ") and "cookie:" not in head.lower(), head)
    expect(studio.page.run("location.href") == here, "the page was left")


def test_property_that_is_removed_while_the_table_is_sorted_by_it(studio):
    page = studio.page
    names = "[...document.querySelectorAll('.column-name')].map((e) => e.textContent)"
    studio.go("#/objects/Visit", title_is("Visit"))
    page.wait(f"{names}.includes('rating') && {rows_are_there}")
    page.run("[...document.querySelectorAll('.column-label')].find((e) => e.textContent.startsWith('rating')).click()")
    page.wait(f"document.querySelector('[aria-sort=ascending]') !== null && {rows_are_there}")
    # Only one process can have the realm open for writing.
    studio.writer.stdin.close()
    studio.writer.wait()
    subprocess.run([studio.program("studio-sample"), studio.realm, "--migrate"], check=True)
    page.wait(f"!{names}.includes('rating') && {rows_are_there}")
    expect(page.run("document.querySelector('[aria-sort=ascending]')") is None, "still sorted")
    width = page.run("document.querySelectorAll('.column-name').length")
    expect(all(page.run(f"[...document.querySelectorAll('.grid-row')].map((e) => e.children.length === {width + 1})")),
           "rows have other cells than the head")
    # The order may have been asked for once more, and refused, before the page knew.
    found = page.problems()
    expect(all("status of 422" in problem for problem in found), found)


def test_changing_objects(studio):
    server, address = studio.serve("--write")
    studio.others.append(server)
    studio.writing_address = address
    page = studio.page
    page.open(address.replace("#", "?write#"))
    page.wait(title_is("City"))
    expect(page.run("document.querySelector('.mode').textContent") == "writing", "not writing")
    page.click(".grid-row:nth-child(6) .cell:nth-child(3)")
    name = page.wait("document.querySelector('.detail-title').textContent")
    edit = "document.querySelector('.detail [aria-label=\"Change name\"]')"
    page.wait(f"{edit} !== null")
    page.run(f"{edit}.click()")
    page.wait("document.activeElement === document.querySelector('.editor input')")
    page.run("document.activeElement.select()")
    page.type("Renamed here")
    page.key("Enter")
    page.wait("document.querySelector('.changes ins')?.textContent === 'Renamed here'")
    page.click("[aria-label='Delete this object']")
    page.wait("document.querySelectorAll('.changes-list li').length === 1 && "
              "document.querySelector('.changes-list .delete') !== null")
    page.click(".changes-list .icon-button")
    page.wait("document.querySelector('.changes').hidden")
    page.run(f"{edit}.click()")
    page.wait("document.activeElement === document.querySelector('.editor input')")
    page.run("document.activeElement.select()")
    page.type("Renamed here")
    page.key("Enter")
    page.wait("document.querySelectorAll('.changes-list li').length === 1")
    page.run("[...document.querySelectorAll('.view-head .quiet-button')].at(-1).click()")
    page.wait("document.querySelector('dialog[open]') !== null")
    page.run("document.querySelector('dialog input').focus()")
    page.type("999999")
    page.run("document.querySelectorAll('dialog input')[1].focus()")
    page.type("Newtown")
    studio.shot("new-object")
    page.run("document.querySelector('dialog .primary').click()")
    page.wait("document.querySelectorAll('.changes-list li').length === 2")
    studio.shot("changes")
    count = int(page.run("document.querySelector('[data-type=City] .type-count').textContent").replace(",", ""))
    page.run("document.querySelector('.changes .primary').click()")
    page.wait(f"document.querySelector('[data-type=City] .type-count').textContent === '{count + 1:,}'")
    page.wait("document.querySelector('.detail-title').textContent === 'Renamed here'")
    page.wait("[...document.querySelectorAll('.changes-line .quiet-button')].some((e) => !e.hidden)")
    page.run("document.querySelector('.changes-line .quiet-button').click()")
    page.wait(f"document.querySelector('[data-type=City] .type-count').textContent === '{count:,}'")
    page.wait(f"document.querySelector('.detail-title').textContent === {json.dumps(name)}")
    # What does not fit is refused as a whole, with a sentence.
    edit = "document.querySelector('.detail [aria-label=\"Change population\"]')"
    page.run(f"{edit}.click()")
    page.wait("document.activeElement === document.querySelector('.editor input')")
    page.run("document.activeElement.select()")
    page.type("many")
    page.key("Enter")
    page.wait("!document.querySelector('.changes .primary').hidden")
    page.run("document.querySelector('.changes .primary').click()")
    page.wait("/takes a whole number/.test(document.querySelector('.changes-error').textContent)")
    studio.shot("refused-change")
    expect_refusal(studio, 422)
    page.run("[...document.querySelectorAll('.changes-line .button')].find((e) => e.textContent === 'Discard').click()")
    page.wait("document.querySelector('.changes').hidden || document.querySelector('.changes .primary').hidden")


def commit(page):
    """Commits what was collected, and waits until it is done."""
    page.run("document.querySelector('.changes .primary').click()")
    page.wait("document.querySelector('.changes .primary').hidden && document.querySelector('.changes-error').hidden")


def undo(page):
    """Undoes the last commit."""
    page.wait("[...document.querySelectorAll('.changes-line .quiet-button')].some((e) => !e.hidden && !e.disabled)")
    page.run("document.querySelector('.changes-line .quiet-button').click()")
    # Until the answer is there.
    page.wait("!document.querySelector('.changes-line .quiet-button').disabled")
    expect(page.run("document.querySelector('.changes-error').hidden"),
           "not undone: " + page.run("document.querySelector('.changes-error').textContent"))


def wait_for_same_undo(one, other):
    """Waits until both pages undo the same commit next: a page shows an object before it has read that."""
    commit_number = "document.querySelector('.changes-line .quiet-button').dataset.commit"
    deadline = time.monotonic() + 20
    while one.run(commit_number) != other.run(commit_number):
        expect(time.monotonic() < deadline, "the pages undo different commits")
        time.sleep(0.05)


def press(page, label):
    """Clicks a button of the object by its label."""
    button = f"document.querySelector({json.dumps(f'.detail [aria-label={json.dumps(label)}]')})"
    page.wait(f"{button} !== null")
    page.run(f"{button}.click()")


def enter(page, text):
    """Types into the editor that has the focus, and keeps it."""
    page.wait("document.activeElement.closest('.editor') !== null")
    page.run("document.activeElement.select?.()")
    page.type(text)
    page.key("Enter")


def values(page, name):
    """The text of a property of the object."""
    return ("[...document.querySelectorAll('.detail .fields > dt')].find((e) => "
            f"e.querySelector('.field-name').textContent === {json.dumps(name)})?.nextElementSibling.textContent")


def test_changing_links_and_collections(studio):
    page = studio.page
    studio.go("#/objects/City?object=" + page.run("encodeURIComponent('=3')"),
              "document.querySelector('.detail [aria-label=\"Change country\"]') !== null")
    before = {name: page.run(values(page, name)) for name in ("country", "alternateNames", "tags")}
    press(page, "Change country")
    page.run("document.querySelector('.detail [aria-label=\"Choose country\"]').click()")
    page.wait("document.querySelectorAll('dialog .link-list button').length > 1")
    studio.shot("link")
    page.run("document.querySelector('dialog input').focus()")
    page.type("Swed")
    page.wait("document.querySelectorAll('dialog .link-list button').length === 1")
    page.run("document.querySelector('dialog .link-list button').click()")
    page.wait("document.querySelector('dialog') === null")
    page.run("document.querySelector('.detail .editor').requestSubmit()")
    page.wait("document.querySelectorAll('.changes-list li').length === 1")
    press(page, "Add to alternateNames")
    enter(page, "Another name")
    page.wait("document.querySelectorAll('.changes-list li').length === 2")
    press(page, "Add to tags")
    enter(page, "new tag")
    page.wait("document.querySelectorAll('.changes-list li').length === 3")
    studio.shot("collections")
    for scheme in (True, False):
        page.dark(scheme)
        problems = accessibility.problems(page)
        expect(not problems, f"dark: {scheme}: " + "; ".join(problems[:12]))
    commit(page)
    page.wait(f"{values(page, 'alternateNames')}.includes('Another name')")
    page.wait(f"{values(page, 'country')}.includes('Sweden') && {values(page, 'tags')}.includes('new tag')")
    # The last element is taken out again, and put back by undoing.
    press(page, "Take out alternateNames 2")
    page.wait("document.querySelector('.changes-list .remove') !== null")
    commit(page)
    page.wait(f"!{values(page, 'alternateNames')}.includes('Another name')")
    undo(page)
    page.wait(f"{values(page, 'alternateNames')}.includes('Another name')")
    undo(page)
    for name, text in before.items():
        page.wait(f"{values(page, name)} === {json.dumps(text)}")


def show_city(page, number):
    """Shows a city beside the table."""
    page.run(f"location.hash = '#/objects/City?object=' + encodeURIComponent('={number}')")
    page.wait("document.querySelector('.detail [aria-label=\"Change name\"]') !== null")


def rename_city(page, name):
    """Collects a change of the name of the city that is shown."""
    press(page, "Change name")
    enter(page, name)
    page.wait(f"[...document.querySelectorAll('.changes-list ins')].some((e) => e.textContent === {json.dumps(name)})")


def press_changes(page, label):
    """Clicks a button below the list of changes."""
    page.run("[...document.querySelectorAll('.changes-line button')]"
             f".find((e) => e.textContent === {json.dumps(label)} && !e.hidden).click()")


def test_two_pages_at_once(studio):
    page = studio.page
    title = "document.querySelector('.detail-title').textContent"
    outdated = "document.querySelectorAll('.changes-list .outdated').length"
    other = driver.Browser(driver.find())
    try:
        other.open(studio.writing_address.replace("#", "?other#"))
        other.wait(title_is("City"))
        for one in (page, other):
            show_city(one, 7)
        before, population = page.run(title), page.run(values(page, "population"))
        # What one commits the other shows; its own change of the same value is outdated.
        rename_city(page, "Mine")
        rename_city(other, "Theirs")
        commit(other)
        page.wait(f"{outdated} === 1 && {title} === 'Theirs'")
        page.wait("[...document.querySelectorAll('.grid-row .cell')].some((e) => e.textContent === 'Theirs')")
        line = page.run("document.querySelector('.changes-list .outdated').textContent")
        expect("Mine" in line and "is Theirs by now" in line, line)
        expect("1 outdated" in page.run("document.querySelector('.changes strong[role=status]').textContent"), "not counted")
        expect(page.run("document.querySelector('.changes .primary').disabled"), "an outdated change can be committed")
        studio.shot("outdated")
        for scheme in (True, False):
            page.dark(scheme)
            problems = accessibility.problems(page)
            expect(not problems, f"dark: {scheme}: " + "; ".join(problems[:12]))
        # Kept, it is a change of what is there now.
        page.run("document.querySelector('.changes-list .outdated .quiet-button').click()")
        page.wait(f"{outdated} === 0 && !document.querySelector('.changes .primary').disabled")
        expect(page.run("document.querySelector('.changes-list del').textContent") == "Theirs", "not of what is there")
        commit(page)
        other.wait(f"{title} === 'Mine'")
        # Of several changes those that are outdated are dropped, the others stay.
        rename_city(page, "Mine again")
        press(page, "Change population")
        enter(page, "123456")
        rename_city(other, "Theirs again")
        commit(other)
        page.wait(f"{outdated} === 1")
        press_changes(page, "Drop outdated")
        page.wait("document.querySelectorAll('.changes-list li').length === 1")
        expect(page.run("document.querySelector('.changes-list ins').textContent") == "123456", "the wrong one was dropped")
        # All at once; and a change to what is there now is none.
        rename_city(page, "Both")
        rename_city(other, "Both")
        commit(other)
        page.wait(f"{outdated} === 1")
        press_changes(page, "Keep mine")
        page.wait("document.querySelectorAll('.changes-list li').length === 1")
        commit(page)
        # Any page undoes the last commit, whichever page has made it.
        for shown in (page, other):
            shown.wait(f"{values(shown, 'population')} === '123456'")
        wait_for_same_undo(page, other)
        undo(other)
        for shown in (page, other):
            shown.wait(f"{values(shown, 'population')} === {json.dumps(population)}")
        for one, name in ((page, "Theirs again"), (other, "Mine"), (page, "Theirs"), (other, before)):
            wait_for_same_undo(page, other)
            undo(one)
            for shown in (page, other):
                shown.wait(f"{title} === {json.dumps(name)}")
        # A deletion by one leaves only the dropping of what the other has collected.
        rename_city(page, "Too late")
        press(other, "Delete this object")
        commit(other)
        page.wait(f"{outdated} === 1")
        expect(page.run("[...document.querySelectorAll('.changes-line button')].filter((e) => !e.hidden)"
                        ".every((e) => e.textContent !== 'Keep mine')"), "can be kept without its object")
        press_changes(page, "Drop outdated")
        undo(page)
        for shown in (page, other):
            shown.wait(f"{title} === {json.dumps(before)}")
        # Each page has shown that the object was gone.
        expect_refusal(studio, 410)
        found = other.problems()
        expect(all("status of 410" in problem for problem in found), found)
    finally:
        other.close()


# The next answer to /api/overview waits for `release()`.
hold_overview = """(() => {
  const send = window.fetch;
  window.fetch = async (...values) => {
    const answer = await send(...values);
    if (String(values[0]).endsWith('/api/overview') && !window.release) {
      await new Promise((resolve) => { window.release = () => { resolve(); window.fetch = send; }; });
    }
    return answer;
  };
})()"""


def test_older_answer_does_not_set_undoing_back(studio):
    # The answer of before the first undo had the commit that it undid: the second was refused then.
    page = studio.page
    title = "document.querySelector('.detail-title').textContent"
    show_city(page, 7)
    before = page.run(title)
    rename_city(page, "Once")
    commit(page)
    page.wait(f"{title} === 'Once'")
    # A page reads once in 200 ms.
    time.sleep(0.5)
    rename_city(page, "Twice")
    page.run(hold_overview)
    commit(page)
    page.wait("window.release !== undefined")
    undo(page)
    page.run("window.release()")
    page.wait(f"{title} === 'Once'")
    undo(page)
    page.wait(f"{title} === {json.dumps(before)}")


# The next answers to /api/changes: a status with a body, or none.
answer_changes = """(() => {
  const send = window.fetch;
  const answers = [
    new Response(JSON.stringify({ error: 'No room.' }), { status: 507 }),
    new Response(JSON.stringify({ error: 'Start it again.', isOutcomeUnknown: true }), { status: 500 }),
    null,
  ];
  window.fetch = async (...values) => {
    if (!String(values[0]).endsWith('/api/changes')) return send(...values);
    const answer = answers.shift();
    if (answers.length === 0) window.fetch = send;
    if (!answer) throw new TypeError('the connection was closed');
    return answer;
  };
})()"""


def test_what_is_said_of_commits_that_fail(studio):
    # That nothing was changed is said only where it is known.
    page = studio.page
    show_city(page, 7)
    rename_city(page, "Perhaps")
    page.run(answer_changes)
    error = "document.querySelector('.changes-error').textContent"
    for text in ("Nothing was changed. No room.", "Start it again.",
                 "The studio does not answer. Is the program still running? Look what is there before you do this again."):
        page.run("document.querySelector('.changes .primary').click()")
        page.wait(f"{error} === {json.dumps(text)} && !document.querySelector('.changes .primary').disabled")
    press_changes(page, "Discard")
    page.wait("document.querySelector('.changes-list li') === null")


def ask(page, path, body):
    """The answer of the server to a request."""
    return page.run(
        f"fetch(localStorage.getItem('travertine-studio-base') + {json.dumps(path)}, {{ method: 'POST', "
        f"headers: {{ 'Content-Type': 'application/json' }}, body: {json.dumps(json.dumps(body))} }}).then((r) => r.json())")


def show_object(page, type_name, address, label):
    """Shows an object beside the table."""
    page.run(f"location.hash = '#/objects/{type_name}?object=' + encodeURIComponent({json.dumps(address)})")
    page.wait(f"document.querySelector('.type-tag')?.textContent === '{type_name}' && "
              f"document.querySelector('.detail-title').textContent.startsWith({json.dumps(label)}) && "
              "document.querySelector('.detail .fields') !== null")


def test_line_ends_of_texts(studio):
    page = studio.page
    ends = {"L1": "\r\n", "L2": "\r", "L3": "\n", "L4": "\r\nand\n"}
    texts = {code: f"Text {code}{end}line" for code, end in ends.items()}
    ask(page, "/api/changes", {"changes": [
        {"kind": "add", "type": "Country", "values": {"code": code, "name": text}} for code, text in texts.items()]})
    for code, end in ends.items():
        show_object(page, "Country", f"={code}", f"Text {code}")
        press(page, "Change name")
        page.wait("document.activeElement.matches('.editor textarea')")
        # Kept as it is, it is not changed.
        page.run("document.querySelector('.detail .editor').requestSubmit()")
        page.wait("document.querySelector('.detail .editor') === null")
        expect(page.run("document.querySelector('.changes-list li')") is None, f"{end!r} was changed")
        press(page, "Change name")
        page.wait("document.activeElement.matches('.editor textarea')")
        if code == "L4":
            expect(page.run("document.activeElement.readOnly"), "can be changed")
            expect("end in different ways" in page.run("document.querySelector('.detail .editor').textContent"), "no reason")
            page.key("Escape")
            continue
        page.run("document.activeElement.select()")
        page.type("one\ntwo")
        page.run("document.querySelector('.detail .editor').requestSubmit()")
        page.wait("document.querySelectorAll('.changes-list li').length === 1")
        commit(page)
        fields = ask(page, "/api/object", {"type": "Country", "id": f"={code}"})["fields"]
        name = next(field["value"]["v"] for field in fields if field["name"] == "name")
        expect(name == f"one{end}two", repr(name))
        undo(page)
    # The objects that were added are not shown while they are deleted.
    show_city(page, 7)
    undo(page)


def choose_kind(page, kind):
    """Chooses the kind of a value of any type."""
    page.wait("document.querySelector('.editor select[aria-label=Kind]') !== null")
    page.run("(() => { const select = document.querySelector('.editor select[aria-label=Kind]');"
             f"select.value = {json.dumps(kind)}; select.dispatchEvent(new Event('change')); }})()")


def choose_object(page, type_name, text):
    """Chooses the object that a value of any type links to, by its type and a search."""
    page.run("(() => { const select = document.querySelector('.editor select[aria-label=\"Type of the object\"]');"
             f"select.value = {json.dumps(type_name)}; select.dispatchEvent(new Event('change')); }})()")
    page.run("document.querySelector('.editor .link-entry button').click()")
    page.wait("document.querySelectorAll('dialog .link-list button').length > 1")
    page.run("document.querySelector('dialog input').focus()")
    page.type(text)
    page.wait("document.querySelectorAll('dialog .link-list button').length === 1")
    page.run("document.querySelector('dialog .link-list button').click()")
    page.wait("document.querySelector('dialog') === null")


def test_link_in_a_value_of_any_type(studio):
    page = studio.page
    show_object(page, "Person", "=653000000000000000000002", "")
    page.wait("document.querySelector('.detail [aria-label=\"Change note\"]') !== null")
    before = page.run(values(page, "note"))
    press(page, "Change note")
    choose_kind(page, "object")
    types = page.run("[...document.querySelectorAll('.editor .link-entry option')].map((e) => e.textContent)")
    expect(types == ["City", "Country", "Person", "Visit"], types)
    # Nothing is chosen yet, so nothing is kept.
    page.run("document.querySelector('.detail .editor').requestSubmit()")
    expect(page.run("document.querySelector('.changes-list li')") is None, "kept without an object")
    choose_object(page, "Country", "Swed")
    studio.shot("link-of-any-type")
    page.run("document.querySelector('.detail .editor').requestSubmit()")
    page.wait("document.querySelector('.changes-list ins')?.textContent === 'Sweden'")
    # Looked at again, it is the object that was chosen; then it is another one.
    press(page, "Change note")
    page.wait("document.querySelector('.editor .link-entry button')?.textContent === 'Sweden'")
    expect(page.run("document.querySelector('.editor [aria-label=\"Type of the object\"]').value") == "Country", "another type")
    choose_object(page, "Country", "Finl")
    page.run("document.querySelector('.detail .editor').requestSubmit()")
    page.wait("document.querySelector('.changes-list ins')?.textContent === 'Finland'")
    commit(page)
    page.wait(f"{values(page, 'note')} === 'CountryFinland'")
    # Back to a value that is typed.
    press(page, "Change note")
    choose_kind(page, "string")
    page.run("document.querySelector('.editor input').focus()")
    enter(page, "plain")
    commit(page)
    page.wait(f"{values(page, 'note')} === 'plain'")
    # And to none.
    press(page, "Change note")
    page.wait("document.querySelector('.editor input[type=checkbox]') !== null")
    page.run("document.querySelector('.editor input[type=checkbox]').click()")
    page.run("document.querySelector('.detail .editor').requestSubmit()")
    page.wait("document.querySelector('.changes-list ins')?.textContent === 'nil'")
    commit(page)
    page.wait(f"{values(page, 'note')} === 'nil'")
    for text in ("plain", "CountryFinland", before):
        undo(page)
        page.wait(f"{values(page, 'note')} === {json.dumps(text)}")


def test_undoing_a_deletion(studio):
    page = studio.page
    person = page.run("encodeURIComponent('=653000000000000000000002')")
    studio.go(f"#/objects/Person?object={person}", "document.querySelector('.detail .fields') !== null && "
              "document.querySelector('.detail-title').textContent !== 'City'")
    page.wait("document.querySelector('.linked-from') !== null")
    name = page.run("document.querySelector('.detail-title').textContent")
    everything = "document.querySelector('.detail-body').textContent"
    before = page.run(everything)
    press(page, "Delete this object")
    page.wait("document.querySelector('.changes-list .delete') !== null")
    commit(page)
    page.wait("document.querySelector('.detail-title').textContent === 'Deleted'")
    undo(page)
    page.wait(f"document.querySelector('.detail-title').textContent === {json.dumps(name)}")
    page.wait(f"{everything} === {json.dumps(before)}")
    expect_refusal(studio, 410)


def test_space_of_a_program_that_writes(studio):
    page = studio.page
    studio.go("#/space", "document.querySelectorAll('.histogram').length === 2")
    words = page.run("[...document.querySelectorAll('.histogram')].map((e) => e.getAttribute('aria-label'))")
    expect(all("99 % up to" in text for text in words), words)
    problems = accessibility.problems(page)
    expect(not problems, "; ".join(problems[:12]))
    studio.shot("space-writing")


def drop(page, name, text):
    """Drops a file onto the table."""
    page.run(f"""(() => {{
      const data = new DataTransfer();
      data.items.add(new File([{json.dumps(text)}], {json.dumps(name)}));
      const target = document.querySelector('.objects');
      for (const kind of ['dragover', 'drop']) {{
        target.dispatchEvent(new DragEvent(kind, {{ dataTransfer: data, bubbles: true, cancelable: true }}));
      }}
    }})()""")
    page.wait("document.querySelector('.import-dialog[open]') !== null")


def test_saving_and_importing_files(studio):
    page = studio.page
    studio.go("#/objects/Country", f"{title_is('Country')} && {rows_are_there}")
    page.run("fetch(document.querySelector('.view-head a[download]').href).then((r) => r.text())"
             ".then((text) => { window.saved = text; }); null")
    page.wait("window.saved !== undefined")
    lines = [json.loads(line) for line in page.run("window.saved").splitlines()]
    count = int(page.run("document.querySelector('[data-type=Country] .type-count').textContent").replace(",", ""))
    expect(len(lines) == count, f"{len(lines)} countries of {count} were saved")
    added = [{"code": f"X{number}", "name": f"Imported {number}", "population": number} for number in range(3000)]
    drop(page, "more.jsonl", "\n".join(json.dumps(country) for country in added + lines[:1]))
    studio.shot("import")
    page.run("document.querySelector('.import-dialog .primary').click()")
    page.wait("/3,000 objects added, 1 replaced/.test(document.querySelector('.import-dialog p').textContent)")
    page.run("document.querySelector('.import-dialog .button:not([hidden])').click()")
    page.wait(f"document.querySelector('[data-type=Country] .type-count').textContent === '{count + 3000:,}'")
    # What does not fit is said, and nothing is stored.
    drop(page, "wrong.jsonl", json.dumps({"code": "Y1", "name": 5}))
    page.run("document.querySelector('.import-dialog .primary').click()")
    page.wait("/Nothing was imported.*Document 1/.test(document.querySelector('.import-dialog p').textContent)")
    page.run("document.querySelector('.import-dialog .button:not([hidden])').click()")
    drop(page, "table.csv", "a,b")
    page.wait("/travertine import/.test(document.querySelector('.import-dialog p').textContent)")
    page.run("document.querySelector('.import-dialog .button:not([hidden])').click()")
    expect(page.run("document.querySelector('[data-type=Country] .type-count').textContent") == f"{count + 3000:,}", "something was stored")
    expect_refusal(studio, 422)


def main():
    parser = argparse.ArgumentParser()
    for name in ("programs", "directory", "screenshots"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--objects", type=int, default=20000)
    parser.add_argument("--only", help="run tests whose names contain this, after the first one")
    options = parser.parse_args()
    studio = Studio(options)
    passed, failed = 0, 0
    tests = [(name, test) for name, test in globals().items() if name.startswith("test_")]
    try:
        for index, (name, test) in enumerate(tests):
            if options.only and index > 0 and options.only not in name:
                continue
            try:
                test(studio)
                problems = studio.page.problems()
                expect(not problems, "the console has: " + "; ".join(problems))
                passed += 1
                print(f"passed  {name[5:].replace('_', ' ')}")
            except (AssertionError, driver.BrowserError) as error:
                failed += 1
                print(f"FAILED  {name[5:].replace('_', ' ')}: {error}")
                traceback.print_exc(limit=2)
                studio.shot(f"failed-{name}")
                # Nothing else can pass then.
                if index == 0:
                    break
            sys.stdout.flush()
        if failed == 0:
            measuring.report(studio)
    finally:
        studio.close()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
