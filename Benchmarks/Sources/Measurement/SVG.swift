/// The parts of a chart as SVG.
enum SVG {
    private static let colors = ["#b5441d", "#4c78a8", "#3a9d8f", "#8a8a8a", "#8e6c8a", "#c9a227"]

    /// The color of an engine, by its place among the engines.
    static func color(_ engine: Int) -> String { colors[engine % colors.count] }

    /// The first lines of a chart: its size, a white ground, and what it says above the drawing.
    static func head(width: Int, height: Int, title: String, subtitle: String) -> [String] {
        [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" "
                + "width=\"\(width)\" height=\"\(height)\" "
                + "font-family=\"system-ui, sans-serif\">",
            "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>",
            text(16, 26, title, size: 16, weight: 600),
            text(16, 45, subtitle, color: "#555555"),
        ]
    }

    /// The last line of a chart.
    static let end = "</svg>"

    /// A straight line between two points.
    static func line(_ x: Int, _ y: Int, _ endX: Int, _ endY: Int, color: String) -> String {
        "<line x1=\"\(x)\" y1=\"\(y)\" x2=\"\(endX)\" y2=\"\(endY)\" stroke=\"\(color)\"/>"
    }

    /// A dot in the color of an engine, with a text that shows when it is pointed at.
    static func dot(
        _ x: Int, _ y: Int, _ engine: Int, radius: Int, opacity: String = "1", tip: String
    ) -> String {
        "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"\(radius)\" fill=\"\(color(engine))\" "
            + "fill-opacity=\"\(opacity)\"><title>\(escaped(tip))</title></circle>"
    }

    /// A line of text from, around or up to a point.
    static func text(
        _ x: Int, _ y: Int, _ string: String, anchor: String = "start", size: Int = 12,
        weight: Int = 400, color: String = "#222222"
    ) -> String {
        "<text x=\"\(x)\" y=\"\(y)\" text-anchor=\"\(anchor)\" font-size=\"\(size)\" "
            + "font-weight=\"\(weight)\" fill=\"\(color)\">\(escaped(string))</text>"
    }

    private static func escaped(_ string: String) -> String {
        string.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }
}
