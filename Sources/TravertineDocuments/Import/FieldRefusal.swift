/// What does not fit in a field, with the path to it.
struct FieldRefusal: Error {
    var path: [String]
    let reason: String

    init(_ reason: String, at path: [String] = []) {
        self.path = path
        self.reason = reason
    }

    func below(_ step: String) -> FieldRefusal { FieldRefusal(reason, at: [step] + path) }

    var problem: DocumentProblem {
        DocumentProblem(path: path.joined(separator: "."), reason: reason)
    }
}
