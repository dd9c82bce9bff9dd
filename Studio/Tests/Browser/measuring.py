"""Measures the first paint, and scrolling, in a page that is opened anew."""

import json

SCROLL = """
(async () => {
  const scroller = document.querySelector('.grid-scroll');
  const frames = [];
  let waiting = 0;
  let last = performance.now();
  const steps = 180;
  for (let step = 0; step < steps; step += 1) {
    %s
    await new Promise((done) => requestAnimationFrame(done));
    const now = performance.now();
    frames.push(now - last);
    last = now;
    waiting += document.querySelectorAll('.grid-row.waiting:not([hidden])').length > 0 ? 1 : 0;
  }
  frames.sort((left, right) => left - right);
  const at = (share) => frames[Math.min(frames.length - 1, Math.floor(frames.length * share))];
  return { median: at(0.5), p95: at(0.95), longest: at(1), waiting };
})()
"""


def report(studio):
    """Prints the figures; they are of this machine, and nothing depends on them."""
    page = studio.page
    page.open(studio.address.split("#")[0] + "?measure")
    page.command("Network.clearBrowserCookies")
    page.run("location.href")
    page.command("Page.navigate", url="about:blank")
    page.wait("document.readyState === 'complete'")
    page.open(studio.address)
    page.wait("document.querySelector('.grid-row:not([hidden]):not(.waiting)') !== null", 60)
    paints = page.run(
        "performance.getEntriesByType('paint').map((e) => [e.name, Math.round(e.startTime)])")
    ready = page.run("Math.round(performance.getEntriesByName('studio-ready')[0].startTime)")
    print(f"first paint: {json.dumps(dict(paints))}, page complete after {ready} ms")
    page.run("location.hash = '#/objects/Visit'")
    page.wait("document.querySelector('.view-title')?.textContent === 'Visit' && "
              "document.querySelector('.grid-row:not([hidden]):not(.waiting)') !== null", 60)
    for what, step in (
            ("by 240 pixels a frame", "scroller.scrollTop += 240;"),
            ("by a five-hundredth of the whole a frame", "scroller.scrollTop += scroller.scrollHeight / 500;")):
        page.run("document.querySelector('.grid-scroll').scrollTop = 0")
        page.wait("document.querySelectorAll('.grid-row.waiting:not([hidden])').length === 0", 60)
        result = page.run(SCROLL % step)
        print(f"scrolling {what}: frames of {result['median']:.1f} ms (median), {result['p95']:.1f} ms (95 %), "
              f"{result['longest']:.1f} ms (longest); rows were missing in {result['waiting']} of 180 frames")
        start = "performance.now()"
        page.run(f"window.start = {start}; document.querySelector('.grid-scroll').scrollTop = "
                 "document.querySelector('.grid-scroll').scrollHeight * 0.37")
        page.wait("document.querySelectorAll('.grid-row.waiting:not([hidden])').length === 0", 60)
        print(f"  a jump was filled after {page.run('Math.round(performance.now() - window.start)')} ms")
