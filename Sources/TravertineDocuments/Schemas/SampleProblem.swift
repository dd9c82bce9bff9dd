import Travertine

/// Values of samples that an import refuses, or takes as something else, in one field.
public struct SampleProblem: Sendable, Hashable, CustomStringConvertible {
    /// The names that lead to the field, with points between.
    public let path: String
    /// What the values are, and what can be done about them.
    public let reason: String
    /// Whether an import refuses documents with them.
    public let isRefused: Bool
    /// How many there are.
    public internal(set) var count: Int
    /// The number of the first document that has one, from 1.
    public let firstPosition: Int

    /// "seen: a timestamp, which no property holds: write it as a date; 3 times, first in document 2".
    public var description: String {
        "\(path.isEmpty ? "the document" : path): \(reason); \(count) "
            + "\(count == 1 ? "time" : "times, first") in document \(firstPosition)"
    }
}

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

/// The problems of samples, each field and reason once.
struct SampleProblems {
    private struct Place: Hashable {
        let path: [NameBytes]
        let value: UnfitValue
    }

    /// The most fields that are distinguished: names may be data.
    private static let fieldCountMax = 1_000
    private var indices: [Place: Int] = [:]
    private(set) var all: [SampleProblem] = []

    mutating func note(_ value: UnfitValue, at path: [String], count: Int = 1, _ position: Int) {
        let isFull = indices.count >= Self.fieldCountMax
        let path = isFull ? Array(path.prefix(1)) : path
        let place = Place(path: path.map { NameBytes($0) }, value: value)
        if let index = indices[place] {
            all[index].count += count
            return
        }
        indices[place] = all.count
        all.append(
            SampleProblem(
                path: path.joined(separator: "."), reason: value.reason,
                isRefused: value.isRefused, count: count, firstPosition: position))
    }

    /// Looks at all values of a document that a property is or holds.
    mutating func look(at document: Document, path: [String] = [], _ position: Int) {
        var names: Set<NameBytes> = []
        for element in document {
            let path = path + [element.key]
            if !names.insert(NameBytes(element.key)).inserted {
                note(.twice, at: path, position)
            }
            look(at: element.value, path: path, position)
        }
    }

    private mutating func look(at value: AnyBSON, path: [String], _ position: Int) {
        switch value {
        case .document(let document): look(at: document, path: path, position)
        case .array(let elements):
            for element in elements { look(at: element, path: path, position) }
        default:
            if let unfit = UnfitValue(value) { note(unfit, at: path, position) }
        }
    }
}

/// What of a value matters in a property of any type.
struct MixedShape {
    /// The arrays and documents in each other.
    var levels = 0
    /// Whether a document in it has names that are the same to Swift.
    var hasAlikeNames = false

    /// An array or a document around another value.
    mutating func add(_ inner: MixedShape) {
        levels = max(levels, inner.levels + 1)
        hasAlikeNames = hasAlikeNames || inner.hasAlikeNames
    }

    var unfit: UnfitValue? {
        if levels > ImportedObject.mixedDepthMax { return .tooDeep }
        return hasAlikeNames ? .sameName : nil
    }
}
