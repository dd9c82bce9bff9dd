/// Fields of documents that became nothing, or something else than they were.
enum FieldCounts {
    /// Prints each with how often it came: those without property, and those that were null where
    /// the property can't be nil.
    static func report(unknown: [String: Int], defaulted: [String: Int]) {
        for (name, count) in unknown.sorted(by: { $0.key < $1.key }) {
            printWarning(
                "field “\(name)” has no property: skipped \(times(count))")
        }
        for (name, count) in defaulted.sorted(by: { $0.key < $1.key }) {
            printWarning(
                "field “\(name)” was null \(times(count)), which its property can't be: it has "
                    + "the default then, as if it were absent")
        }
    }

    /// Prints each property that new objects have the default of, since their records have no such
    /// field.
    static func report(missing: [String: Int]) {
        for (name, count) in missing.sorted(by: { $0.key < $1.key }) {
            printWarning(
                "\(Figures.count(count, "new object")) without a field “\(name)”, which can't be nil: "
                    + "the property has its default")
        }
    }

    private static func times(_ count: Int) -> String {
        "\(Figures.count(count)) time\(count == 1 ? "" : "s")"
    }
}
