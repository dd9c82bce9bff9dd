import Travertine

/// Checks whether an object that a document became can be exported with the schema that it came in
/// with.
///
/// An export writes every property: absent lists as empty ones, nil as null, defaults, and floats
/// as the nearest double. A schema may forbid that where it allows the document itself.
final class WrittenObject {
    private let plan: ExportPlan
    private let validator: DocumentValidator
    private let waitingLinks: WaitingLinks

    /// Nil for a type that has no documents, such as one that embeds itself.
    init?(
        _ type: RowType, _ schema: DocumentSchema, _ validator: DocumentValidator,
        _ realm: Realm, _ references: ReferenceNames
    ) {
        do throws(MappingError) {
            guard try ObjectMapping.documentSchema(of: type.name, in: realm.schema) != nil
            else { return nil }
            waitingLinks = WaitingLinks(realm)
            plan = try ExportPlan(type, schema, realm, waitingLinks, references)
        } catch {
            return nil
        }
        self.validator = validator
    }

    /// What an export would refuse of the object with a key; none if the formats have no document
    /// for it, which is not the schema's matter.
    func problems(ofKey key: UInt64) throws -> [DocumentProblem] {
        try waitingLinks.look()
        let found = try plan.type.withRow(ofKey: key) { try document($0) }
        guard let found, let document = found else { return [] }
        return validator.problems(in: document).map { problem in
            DocumentProblem(
                path: problem.path, reason: problem.reason + ", as an export would write it")
        }
    }

    /// The document of a row; BSON has names that Extended JSON has not, and the other way round.
    private func document(_ row: StoredRow) throws -> Document? {
        do {
            return try plan.document(row)
        } catch is DocumentError {}
        do {
            var output = JSONOutput(.canonical)
            try plan.write(row, to: &output, .root)
            return try output.bytes.withUnsafeBytes { try Document(extendedJSON: $0) }
        } catch is DocumentError {
            return nil
        }
    }
}
