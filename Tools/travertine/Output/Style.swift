import Foundation

/// Colours of a terminal, for what is printed to one; none elsewhere, and none where the
/// environment has `NO_COLOR` or the terminal is called dumb.
struct Style {
    private let isColoured: Bool

    /// - Parameter descriptor: where it is printed.
    init(_ descriptor: Int32) {
        let environment = ProcessInfo.processInfo.environment
        isColoured =
            isatty(descriptor) == 1 && (environment["NO_COLOR"] ?? "").isEmpty
            && environment["TERM"] != "dumb"
    }

    /// The style of standard output.
    static let output = Style(STDOUT_FILENO)
    /// The style of standard error.
    static let errors = Style(STDERR_FILENO)

    func red(_ text: String) -> String { coloured(text, 31) }
    func green(_ text: String) -> String { coloured(text, 32) }
    func yellow(_ text: String) -> String { coloured(text, 33) }
    func bold(_ text: String) -> String { coloured(text, 1) }

    private func coloured(_ text: String, _ code: Int) -> String {
        isColoured ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }
}
