import Travertine
import TravertineJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes objects of documents.
///
/// ```swift
/// let importer = try DocumentImporter(realm, type: "Dog")
/// try realm.write {
///     for document in documents { try importer.insert(document) }
///     try importer.resolveLinks()
/// }
/// ```
///
/// A document is a whole object: the one with its key is replaced. What is absent is nil where it
/// may be, else the property's default; what is required must be there. Properties that the
/// realm's class leaves out keep what they had where the document has none. Fields without property
/// are skipped and counted. A link is the key of its target; it waits, also in later transactions,
/// until an importer stores the target, or `resolveLinks` finds it.
///
/// An importer belongs to the thread of its realm. It writes rows, not handles: objects of the type
/// that were read before show the change as they do any other.
public final class DocumentImporter {
    let realm: Realm
    let plan: ImportPlan
    let plans: ImportPlans
    /// The one object that is filled again and again. Not the plan's: each would keep the other,
    /// and the store open.
    let object: ImportedObject
    let resolver: LinkResolver
    private let validator: DocumentValidator?
    /// Looks at what was stored, where a schema has rules that the written object may break.
    private let written: WrittenObject?
    /// What waits for objects that are not there yet.
    var held = HeldDocuments()
    /// The document that the object was filled with, if it may need to be held.
    private(set) var filledDocument: Document?
    /// Held documents whose targets have come, the next one last.
    var readyDocuments: [HeldDocument] = []
    /// The number of the document that is being taken, from 1.
    var position = 0

    /// Whether documents are held back in memory whose required links lead to objects that are not
    /// there yet: until an object that they wait for is stored by this importer, in this or a later
    /// transaction, and at last until `resolveLinks`. If false, their targets must come in the
    /// same transaction.
    ///
    /// A transaction that is rolled back does not bring back what it took out.
    public var holdsDocuments = false
    /// How many documents are held back.
    public var heldCount: Int { held.count }
    /// Held documents that made no object, in the end or because of what others have; code that
    /// reads it may empty it.
    public var heldRefusals: [HeldRefusal] = []

    /// How many objects were made.
    public internal(set) var insertedCount = 0
    /// How many objects were replaced.
    public internal(set) var replacedCount = 0
    /// Fields that there is no property for, and how often they came; those of an embedded type
    /// have its name before them.
    public var unknownFields: [String: Int] { plans.counts(\.unknownFields, of: plan) }

    /// Fields that were null where the property cannot be nil, and how often they were: it has its
    /// default then, as if the field were absent, and a collection is empty. Those of an embedded
    /// type have its name before them.
    public var defaultedFields: [String: Int] { plans.counts(\.defaultedFields, of: plan) }

    /// An importer of objects of a type, by its stored name or the name of its class.
    ///
    /// - Parameters:
    ///   - realm: the realm that the objects will be in.
    ///   - name: the type.
    ///   - schema: what documents must look like, with the constraints that classes cannot
    ///     express; by default, what the type says.
    ///   - collections: those of the data source: DBRefs name a type by its collection, or by its
    ///     own name.
    /// - Throws: `ImportError`, also for properties of the schema that the type lacks.
    public init(
        _ realm: Realm, type name: String, schema: DocumentSchema? = nil,
        collections: [DataSource.Collection] = []
    ) throws(ImportError) {
        self.realm = realm
        guard let type = realm.rowType(name) else { throw .unknownType(name) }
        guard !type.isEmbedded else { throw .embeddedType(name) }
        guard !type.isAsymmetric else { throw .asymmetricType(name) }
        let references = ReferenceNames(collections)
        plans = ImportPlans(realm, references)
        plan = try plans.plan(type)
        object = ImportedObject(plan)
        resolver = LinkResolver(realm)
        if let schema {
            let missing = plan.require(schema)
            if !missing.isEmpty { throw .missingProperties(type.name, missing) }
            let validator = DocumentValidator(schema, of: type, in: realm)
            // What the plan does not check as it reads: rules, and types other than the property's.
            let differs = Self.differs(schema, from: type, in: realm)
            let isNeeded = differs || validator.hasConstraints
            self.validator = isNeeded ? validator : nil
            written =
                isNeeded ? WrittenObject(type, schema, validator, realm, references) : nil
        } else {
            validator = nil
            written = nil
        }
    }

    /// Whether a schema says anything of values that neither the stored type does nor the
    /// validator has a rule for; what is not checked, such as a description, counts for nothing.
    private static func differs(
        _ schema: DocumentSchema, from type: RowType, in realm: Realm
    ) -> Bool {
        guard
            let own = try? ObjectMapping.documentSchema(of: type.name, in: realm.schema)
        else { return true }
        return schema.differences(from: own).contains { difference in
            switch difference.change {
            case .type, .nestedCollection: true
            // The plan takes null for a value of any type, also where the schema requires one.
            case .constraint(let keyword, _, _): keyword == "required"
            case .title, .added, .removed, .integerWidth, .becameRequired, .becameOptional, .link:
                false
            }
        }
    }

    /// Makes an object of a document, in a write transaction.
    ///
    /// - Throws: `DocumentRefusal` for a document that does not fit, whose object could not be
    ///   exported with the schema, or that has what a unique index says another object has, of
    ///   which nothing is stored; any other error fails the transaction.
    public func insert(_ document: Document) throws {
        position += 1
        if let problems = validator?.problems(in: document), !problems.isEmpty {
            throw DocumentRefusal(problems)
        }
        try fill(document)
        try storeFilled()
    }

    /// Fills the object, so that `storeFilled` stores it.
    func fill(_ document: Document) throws(DocumentRefusal) {
        object.clear()
        filledDocument = nil
        do throws(FieldRefusal) {
            try object.fill(document)
        } catch {
            throw DocumentRefusal([error.problem])
        }
        filledDocument = document
    }

    /// Makes an object of a document of Extended JSON, in a write transaction; faster than by way
    /// of a `Document`.
    ///
    /// - Throws: as `insert(_:)`, and `DocumentError.invalidJSON`.
    public func insert(extendedJSON bytes: UnsafeRawBufferPointer) throws {
        if needsDocuments { return try insert(Document(extendedJSON: bytes)) }
        position += 1
        let refusal = try ExtendedJSONReader.read(bytes) { (reader) throws(JSONFailure) in
            try fill(from: &reader)
        }
        if let refusal { throw DocumentRefusal([refusal.problem]) }
        try storeFilled()
    }

    /// Whether documents must be whole to be checked.
    var needsDocuments: Bool { validator != nil }

    /// Fills the object with the document that begins here, so that `storeFilled` stores it.
    ///
    /// - Returns: what does not fit; the reader is after the document all the same.
    func fill(from reader: inout ExtendedJSONReader) throws(JSONFailure) -> FieldRefusal? {
        object.clear()
        filledDocument = nil
        let start = reader
        var direct = DirectJSONReader(reader)
        let refusal: FieldRefusal?
        do throws(JSONFailure) {
            refusal = try direct.fill(object)
        } catch {
            reader = direct.reader
            throw error
        }
        if refusal == nil {
            reader = direct.reader
            if holdsDocuments, !object.missing.isEmpty {
                var again = start
                filledDocument = try again.document()
            }
        } else {
            // The rest may not be there yet, which the reader's offset shows.
            _ = try reader.document()
        }
        return refusal
    }

    /// Stores the object that was filled, or holds its document back; then stores the documents
    /// that were held back for it.
    func storeFilled() throws {
        if !hold(as: position) { try storeOne() }
        while let next = readyDocuments.popLast() {
            do {
                try fill(next.document)
                if !hold(as: next.position) { try storeOne() }
            } catch let refusal as DocumentRefusal {
                refuse(next, refusal)
            }
        }
    }

    func storeOne() throws {
        do throws(Realm.Error) {
            try plan.type.check(object.draft)
        } catch {
            throw DocumentRefusal(error)
        }
        let isNew: Bool
        let own: LinkTarget?
        if plan.hasUniqueIndexes || written != nil {
            do {
                (isNew, own) = try realm.checkedSavepoint { try storeChecked() }
            } catch let error as Realm.Error where error.code == .uniqueViolation {
                throw DocumentRefusal(error)
            }
        } else {
            (_, isNew, own) = try storeAll()
        }
        object.countFields()
        if isNew { insertedCount += 1 } else { replacedCount += 1 }
        // Only now: what a savepoint rolls back takes nothing out.
        if let own {
            held.forget(own)
            readyDocuments += held.take(waitingFor: own).reversed()
        }
    }

    /// Stores the object, and refuses it if an export would.
    private func storeChecked() throws -> (isNew: Bool, own: LinkTarget?) {
        let (key, isNew, own) = try storeAll()
        if let problems = try written?.problems(ofKey: key), !problems.isEmpty {
            throw DocumentRefusal(problems)
        }
        return (isNew, own)
    }

    /// What an export would refuse of the object that was filled, which is stored for that, and
    /// forgotten again.
    func writtenProblems() throws -> [DocumentProblem] {
        struct Outcome: Error {
            let problems: [DocumentProblem]
        }
        guard let written else { return [] }
        do {
            try realm.savepoint { () throws -> Never in
                let (key, _, _) = try storeAll()
                throw Outcome(problems: try written.problems(ofKey: key))
            }
        } catch let outcome as Outcome {
            return outcome.problems
        }
    }

    /// Stores the object with its links, and sets those that wait for it.
    ///
    /// - Returns: its key, whether there was none before, and what it is if documents are held
    ///   back.
    private func storeAll() throws -> (key: UInt64, isNew: Bool, own: LinkTarget?) {
        let (key, isNew) = try plan.type.store(object.draft)
        // A new object too: one that is gone by now may have had its key.
        try resolver.forget(from: plan.type.name, key: key)
        try object.writeDownLinks(key, resolver)
        let isAwaited = try resolver.hasAny()
        if isAwaited || held.count > 0, let keySlot = plan.type.keySlot {
            let target = try plan.type.withPrimaryKey(ofKey: key) {
                LinkResolver.targetKey($0, plan.type.fields[keySlot].type)
            }
            if let target {
                if isAwaited {
                    try resolver.resolve(to: plan.type.name, key: target, objectKey: key)
                }
                return (key, isNew, LinkTarget(plan.type.name, target))
            }
        }
        return (key, isNew, nil)
    }
}
