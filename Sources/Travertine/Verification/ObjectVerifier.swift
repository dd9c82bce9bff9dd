import StoreMaintenance
import TravertineStore

/// Verifies the objects in a store that nobody has open: the part of `travertine fsck --deep` that
/// only this layer can do, after `StoreVerifier`. Nothing is changed.
///
/// Steps, type by type:
/// 1. Every row decodes: its layout exists, its ends lie in it, its text is UTF-8, its links lead
///    to objects (`RowVerifier`).
/// 2. Every collection is whole: its nodes are there, hold as many elements as they should, in
///    order where there is one; no node belongs to none.
/// 3. Every embedded object has one owner.
/// 4. Every derived keyspace holds exactly what the rows say (`DerivedComparison`).
///
/// Stored values of enums and of narrow integers that cannot be nil, elements included, are
/// compared with what the type had values for when its class was last opened; any other is a
/// warning.
public struct ObjectVerifier {
    private let access: ReadAccess
    private let schema: StoredSchema
    private let schemaKeyspace: KeyspaceID
    private let valueDomains: [StoredSchema.PropertyName: ValueDomain]
    private var report = ObjectReport()

    /// Verifies all objects of the store in a directory; an empty report if it never held any.
    ///
    /// Reads every row and every derived key once; takes memory for one derived keyspace only where
    /// it differs.
    ///
    /// - Throws: `StoreError`: `.notFound`, `.notAStore`, `.locked`, `.damaged` when the store does
    ///   not open. Damage of objects is in the report instead.
    public static func verify(path: String, key: EncryptionKey? = nil) throws -> ObjectReport {
        try StoreVerifier.withContents(of: path, environment: .system(key)) {
            try verify($0, $1)
        }
    }

    /// As above, under a lock that the caller holds.
    static func verify(_ hold: borrowing VerificationHold) throws -> ObjectReport {
        try StoreVerifier.withContents(of: hold) { try verify($0, $1) }
    }

    static func verify(_ access: ReadAccess, _ keyspaces: [Keyspace]) throws -> ObjectReport {
        let found = keyspaces.first { $0.name == StoredSchema.keyspaceName }
        guard let keyspace = found?.identifier else { return ObjectReport() }
        let schema: StoredSchema?
        let valueDomains: [StoredSchema.PropertyName: ValueDomain]
        do {
            valueDomains = try StoredSchema.loadValueDomains(access, keyspace: keyspace)
            schema = try StoredSchema.load(access, keyspace: keyspace)
        } catch {
            var report = ObjectReport()
            report.findings.append(
                VerificationReport.Finding(
                    .error, "The schema can't be read: \(error)", advice: ObjectAdvice.schema))
            return report
        }
        guard let schema else { return ObjectReport() }
        var verifier = ObjectVerifier(
            access: access, schema: schema, schemaKeyspace: keyspace,
            valueDomains: valueDomains)
        for type in schema.types { verifier.verify(type) }
        return verifier.report
    }

    private init(
        access: ReadAccess, schema: StoredSchema, schemaKeyspace: KeyspaceID,
        valueDomains: [StoredSchema.PropertyName: ValueDomain]
    ) {
        self.valueDomains = valueDomains
        self.access = access
        self.schema = schema
        self.schemaKeyspace = schemaKeyspace
    }

    private mutating func verify(_ type: StoredObjectType) {
        report.typeCount += 1
        var rows = RowVerifier(
            access, schema, type, schemaKeyspace: schemaKeyspace, valueDomains: valueDomains)
        rows.verify()
        report.objectCount += rows.objectCount
        report.findings += rows.problems.findings + rows.unknownValues.findings
        let derived = DerivedComparison(access, type, schemaKeyspace: schemaKeyspace)
        do {
            let found = try derived.compare()
            report.findings += found.findings
            report.differingKeyspaces += found.differing.map(\.rawValue)
        } catch {
            // A row that does not decode was reported; what it should have in other keyspaces is
            // not known.
            if rows.problems.findings.isEmpty {
                report.findings.append(
                    VerificationReport.Finding(
                        .error, "\(type.name): its derived keyspaces can't be compared: \(error)",
                        advice: ObjectAdvice.row))
            }
        }
    }
}
