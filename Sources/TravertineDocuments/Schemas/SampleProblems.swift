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
