import Travertine

/// Why a property keeps nothing of a value, or something else.
struct UnfitValue: Hashable {
    let reason: String
    let isRefused: Bool

    init(_ reason: String, isRefused: Bool = true) {
        self.reason = reason
        self.isRefused = isRefused
    }

    /// What no property of any type holds as it is; nil for all else.
    init?(_ value: AnyBSON) {
        switch value {
        case .regex: self.init(Self.text("a regular expression", "its pattern as a string"))
        case .timestamp: self.init(Self.text("a timestamp", "a date"))
        case .javascript: self.init(Self.text("a program", "a string"))
        case .javascriptWithScope:
            self.init(Self.text("a program with a scope", "a document with a string and the scope"))
        case .pointer: self.init(Self.text("a pointer", "a DBRef, which is a link"))
        case .minKey: self.init(Self.text("the least key", "null"))
        case .maxKey: self.init(Self.text("the greatest key", "null"))
        case .binary(let binary) where binary.subtype != 0 && binary.subtype != 2:
            self.init(Self.text("binary of subtype \(binary.subtype)", "subtype 0"))
        case .binary(let binary) where binary.subtype == 2:
            self.init(
                "binary of subtype 2, the old form of 0, which it becomes", isRefused: false)
        case .datetime where value.loss(in: .date) != nil:
            self.init(
                Self.text("a date too far away to keep its milliseconds", "an integer"))
        case .symbol: self.init("a symbol, which becomes a string", isRefused: false)
        case .undefined: self.init("undefined, which becomes null", isRefused: false)
        default: return nil
        }
    }

    private static func text(_ value: String, _ substitute: String) -> String {
        "\(value), which no property holds: write \(substitute), or take the field out of the "
            + "schema, so that an import passes it over"
    }

    static let twice = UnfitValue("a name for the second time, which one document can't have")
    static let sameName = UnfitValue(
        "names of a dictionary that differ in their bytes alone, which Swift takes for the same")
    static let noKey = UnfitValue("no value for the key, which every object needs")
    static let tooDeep = UnfitValue(
        "more than \(ImportedObject.mixedDepthMax) levels of arrays and documents in a value of "
            + "any type: take some out")
}
