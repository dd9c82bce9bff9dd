import Foundation
import TravertineStore

/// A store's statistics as one HTML page: pictures in SVG, every number as text too, nothing loaded
/// from anywhere, light and dark.
struct StatisticsPage {
    private let figures: StoreFigures
    private var statistics: StoreStatistics { figures.statistics }
    /// More segments than this are drawn without gaps, and listed only in part.
    private static let listedSegmentCount = 200

    init(_ figures: StoreFigures) { self.figures = figures }

    /// The page.
    var text: String {
        let name = Self.escaped(statistics.path)
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(name) – Travertine</title><style>\(Self.style)</style></head><body><main>
            <header><h1>\(name)</h1><p class="quiet">store \(statistics.uuid), newest LSN \
            \(Figures.count(statistics.lastLSN))</p></header>
            \(tiles)
            \(section("Space", space))
            \(section("Segments, oldest first", StatisticsWall(statistics).svg + segmentTable))
            \(section("Log", StatisticsTimeline(statistics).svg))
            \(figures.types.map { section("Object types", types($0)) } ?? "")
            \(section("Keyspaces", keyspaces))
            \(section("Index", index))
            </main></body></html>

            """
    }

    private func section(_ title: String, _ content: String) -> String {
        "<section><h2>\(title)</h2>\(content)</section>"
    }

    // MARK: Figures

    private var tiles: String {
        let tiles = [
            ("keys", Figures.count(statistics.index.keyCount)),
            ("live", Figures.bytes(statistics.liveByteCount)),
            ("on disk", Figures.bytes(total)),
            ("space amplification", figures.ratio(statistics.spaceAmplification)),
            ("segments", Figures.count(statistics.segments.count)),
            (
                "checkpoints at LSN",
                statistics.checkpointLSNs.map { "\($0)" }.joined(separator: ", ")
            ),
        ]
        let cells = tiles.map { "<div><b>\($0.1)</b><span>\($0.0)</span></div>" }.joined()
        return "<div class=\"tiles\">\(cells)</div>"
    }

    private var total: Int { statistics.allocatedByteCount + statistics.pageFileByteCount }

    // MARK: Space

    private var space: String {
        let dead = statistics.segments.reduce(0) { $0 + $1.deadByteCount }
        let live = statistics.liveByteCount
        let unused = max(0, statistics.allocatedByteCount - live - dead)
        let parts = [
            ("live", "live records", live), ("dead", "dead: replaced, deleted, headers", dead),
            ("unused", "allocated, not yet written", unused),
            ("pages", "index pages", statistics.pageFileByteCount),
        ]
        let sum = max(1, parts.reduce(0) { $0 + $1.2 })
        var bars = ""
        var x = 0.0
        for (name, title, count) in parts where count > 0 {
            let width = Double(count) / Double(sum) * 1000
            bars += """
                <rect class="\(name)" x="\(number(x))" y="0" width="\(number(width))" height="44">\
                <title>\(title): \(Figures.bytes(count))</title></rect>
                """
            x += width
        }
        let legend = parts.map { name, title, count in
            "<li><i class=\"\(name)\"></i>\(title) <b>\(Figures.bytes(count))</b> "
                + "<span class=\"quiet\">\(Self.percent(count, of: sum))</span></li>"
        }.joined()
        return """
            <svg viewBox="0 0 1000 44" preserveAspectRatio="none" class="bar" role="img" \
            aria-label="Space on disk by use">\(bars)</svg><ul class="legend">\(legend)</ul>\
            \(ratios)
            """
    }

    /// The ratios by which the space of a store is judged, each with what it means.
    private var ratios: String {
        let rows = [
            ("on disk ÷ live records", figures.ratio(statistics.spaceAmplification)),
            (
                "bounded: segments before the older checkpoint, beyond a floor of "
                    + "\(Figures.bytes(statistics.spaceFloorByteCount)), ÷ live records",
                figures.ratio(statistics.boundedSpaceAmplification)
            ),
            ("on disk ÷ keys and values", figures.overall),
            ("pages in page files ÷ live pages", figures.pages),
        ]
        return Self.table(rows)
    }

    // MARK: Tables

    private var segmentTable: String {
        let shown = statistics.segments.suffix(Self.listedSegmentCount)
        let rows = shown.map { segment in
            let written = max(1, segment.writtenByteCount)
            return Self.row([
                "\(segment.number)" + (segment.isActive ? " (active)" : ""),
                Figures.bytes(segment.allocatedByteCount), Figures.bytes(segment.writtenByteCount),
                Figures.bytes(segment.liveByteCount), Figures.bytes(segment.deadByteCount),
                Self.percent(segment.liveByteCount, of: written),
                "\(segment.firstLSN) – \(segment.lastLSN)",
            ])
        }.joined()
        let hidden = statistics.segments.count - shown.count
        let note =
            hidden > 0
            ? "<p class=\"quiet\">The oldest \(Figures.count(hidden)) are not listed.</p>" : ""
        let header = Self.header([
            "segment", "on disk", "written", "live", "dead", "live share", "LSNs",
        ])
        return "<details><summary>All numbers</summary>\(note)<div class=\"scroll\"><table>"
            + "\(header)\(rows)</table></div></details>"
    }

    private var keyspaces: String {
        let most = max(1, statistics.keyspaces.map(\.keyCount).max() ?? 1)
        let rows = statistics.keyspaces.map { keyspace in
            let width = Double(keyspace.keyCount) / Double(most) * 100
            let kind = keyspace.isDerived ? "derived" : "records"
            return "<tr><td>\(Self.escaped(keyspace.name))</td><td>\(keyspace.id)</td>"
                + "<td>\(kind)</td><td>\(Figures.count(keyspace.keyCount))</td>"
                + "<td class=\"meter\"><svg viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\">"
                + "<rect class=\"\(keyspace.isDerived ? "pages" : "live")\" width=\""
                + "\(number(width))\" height=\"8\"/></svg></td></tr>"
        }.joined()
        let header = Self.header(["keyspace", "id", "values", "keys", ""])
        return "<div class=\"scroll\"><table>\(header)\(rows)</table></div>"
    }

    private func types(_ types: [TypeFigures]) -> String {
        let rows = types.map { type in
            Self.row([
                Self.escaped(type.name) + (type.isEmbedded ? " (embedded)" : ""),
                Figures.count(type.objectCount),
                type.byteCount.map { Figures.bytes($0) } ?? "–", Figures.count(type.linkCount),
                Self.escaped(type.indexes.map(\.text).joined(separator: ", ")),
            ])
        }.joined()
        let header = Self.header(["type", "objects", "bytes", "links", "indexes"])
        return "<div class=\"scroll\"><table>\(header)\(rows)</table></div>"
    }

    private var index: String {
        let index = statistics.index
        let opening = statistics.opening
        let rows: [(String, String)] = [
            ("mapped pages", Figures.bytes(index.pageByteCount)),
            ("page files on disk", Figures.bytes(statistics.pageFileByteCount)),
            ("opened from", "\(figures.openingSource), LSN \(opening.checkpointLSN)"),
        ]
        return Self.table(rows)
    }

    private static func table(_ rows: [(String, String)]) -> String {
        let body = rows.map { row(["\($0.0)", "\($0.1)"]) }.joined()
        return "<div class=\"scroll\"><table class=\"facts\">\(body)</table></div>"
    }

    private static func header(_ cells: [String]) -> String {
        "<tr>" + cells.map { "<th>\($0)</th>" }.joined() + "</tr>"
    }

    private static func row(_ cells: [String]) -> String {
        "<tr>" + cells.map { "<td>\($0)</td>" }.joined() + "</tr>"
    }

    // MARK: Text

    private static func percent(_ part: Int, of whole: Int) -> String {
        String(format: "%.1f %%", Double(part) / Double(max(1, whole)) * 100)
    }

    /// Text escaped for HTML.
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
        return result
    }

    private static let style = """
        :root{color-scheme:light dark;--ground:#fbf9f5;--card:#fff;--text:#26221c;--quiet:#6d655a;\
        --line:#e5dfd4;--live:#2f7d62;--dead:#d08c4a;--unused:#ddd6c8;--pages:#5b78a8;--mark:#b0403a}\
        @media(prefers-color-scheme:dark){:root{--ground:#1a1815;--card:#23201c;--text:#ece6db;\
        --quiet:#a39a8b;--line:#3a352e;--live:#4fae8c;--dead:#d99a5c;--unused:#46403780;\
        --pages:#7f9fd3;--mark:#e57a72}}\
        *{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--text);\
        font:15px/1.5 system-ui,sans-serif}main{max-width:1080px;margin:0 auto;padding:32px 20px 60px}\
        h1{font-size:24px;margin:0;overflow-wrap:anywhere}h2{font-size:16px;margin:0 0 14px}\
        .quiet{color:var(--quiet)}header p{margin:2px 0 20px}\
        .tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;\
        margin-bottom:16px}.tiles div,section{background:var(--card);border:1px solid var(--line);\
        border-radius:10px;padding:14px 18px}.tiles b{display:block;font-size:20px;font-weight:600;\
        overflow-wrap:anywhere}.tiles span{color:var(--quiet);font-size:13px}\
        section{margin-top:16px}svg{display:block;width:100%}svg.bar{height:44px;border-radius:6px}\
        .live{fill:var(--live);background:var(--live)}.dead{fill:var(--dead);background:var(--dead)}\
        .unused{fill:var(--unused);background:var(--unused)}\
        .pages{fill:var(--pages);background:var(--pages)}.frame{fill:none;stroke:var(--line)}\
        .active{fill:none;stroke:var(--mark);stroke-width:2}.mark{stroke:var(--mark);stroke-width:2}\
        svg text{fill:var(--quiet);font-size:12px;font-family:inherit}\
        .legend{list-style:none;display:flex;flex-wrap:wrap;gap:6px 24px;margin:12px 0 0;padding:0}\
        .legend i{display:inline-block;width:12px;height:12px;border-radius:3px;margin-right:8px}\
        .scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;\
        font-variant-numeric:tabular-nums}td,th{padding:5px 12px 5px 0;text-align:left;\
        border-bottom:1px solid var(--line);white-space:nowrap}th{color:var(--quiet);\
        font-weight:500;font-size:13px}td.meter{width:40%;min-width:120px}td.meter svg{height:8px}\
        tr:last-child td{border-bottom:0}.legend+.scroll{margin-top:14px}section p{margin:10px 0 0}\
        .legend i.active{background:none;border:2px solid var(--mark)}\
        details{margin-top:14px}summary{cursor:pointer;color:var(--quiet)}
        """
}

/// A coordinate with one digit after the point.
func number(_ value: Double) -> String { String(format: "%.1f", value) }
