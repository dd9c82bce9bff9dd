/// Aligned lines of a name and a value, and a count of what was not as expected.
struct Report {
    private(set) var failureCount = 0
    private var checkCount = 0
    /// Whether answers that are as expected are counted only.
    private var isBrief = false

    /// A heading with an empty line before it.
    func heading(_ text: String) {
        print("\n\(text)")
    }

    /// A figure.
    func figure(_ name: String, _ value: String) {
        let padding = String(repeating: " ", count: max(1, 40 - name.count))
        print("  \(name)\(padding)\(value)")
    }

    /// An answer that must be equal to the expected one.
    mutating func check<Value: Equatable>(_ name: String, _ value: Value, expected: Value) {
        let text = Self.text(value)
        checkCount += 1
        if value == expected {
            if !isBrief { figure(name, text + "  ✓") }
        } else {
            failureCount += 1
            figure(name, text + "  ✗ expected \(Self.text(expected))")
        }
    }

    /// Prints one line for all checks of the closure, and those that fail.
    mutating func summarize(_ name: String, _ checks: (inout Report) throws -> Void) rethrows {
        var brief = Report()
        brief.isBrief = true
        try checks(&brief)
        failureCount += brief.failureCount
        checkCount += brief.checkCount
        let rightCount = brief.checkCount - brief.failureCount
        let mark = brief.failureCount == 0 ? "✓" : "✗"
        figure(name, "\(rightCount) of \(brief.checkCount) answers as expected  \(mark)")
    }

    private static func text(_ value: some Any) -> String {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional:
            return mirror.children.first.map { text($0.value) } ?? "none"
        case .collection:
            let shown = mirror.children.prefix(4).map { text($0.value) }
            return shown.joined(separator: "; ") + (mirror.children.count > 4 ? "; …" : "")
        default: return "\(value)"
        }
    }
}
