import Travertine

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
/// may be, else the property's default; what is required has to be there. Properties that the
/// realm's class leaves out keep what they had where the document has none. Fields without property
/// are passed over and counted. A link is the key of its target; it waits, also in later
/// transactions, until an importer stores the target, or `resolveLinks` finds it.
///
/// An importer belongs to the thread of its realm. It writes rows, not handles: objects of the type
/// that were read before show the change as they do any other.
public final class DocumentImporter {
    private let realm: Realm
    private let plan: ImportPlan
    private let plans: ImportPlans
    /// The one object that is filled again and again. Not the plan's: each would keep the other, and
    /// the store open.
    private let object: ImportedObject
    private let resolver: LinkResolver
    private let validator: DocumentValidator?

    /// How many objects were made.
    public private(set) var insertedCount = 0
    /// How many objects were replaced.
    public private(set) var replacedCount = 0
    /// Fields that there is no property for, and how often they came; those of an embedded type
    /// have its name before them.
    public var unknownFields: [String: Int] {
        plans.all.reduce(into: plan.unknownFields) { all, plan in
            if plan === self.plan { return }
            for (name, count) in plan.unknownFields { all["\(plan.type.name).\(name)"] = count }
        }
    }

    /// An importer of objects of a type, by its stored name or the name of its class.
    ///
    /// - Parameters:
    ///   - realm: the realm that the objects will be in.
    ///   - name: the type.
    ///   - schema: what documents have to look like, with the constraints that classes cannot
    ///     express; by default, what the type says.
    /// - Throws: `ImportError`.
    public init(
        _ realm: Realm, type name: String, schema: DocumentSchema? = nil
    ) throws(ImportError) {
        self.realm = realm
        guard let type = realm.rowType(name) else { throw .unknownType(name) }
        guard !type.isEmbedded else { throw .embeddedType(name) }
        guard !type.isAsymmetric else { throw .asymmetricType(name) }
        plans = ImportPlans(realm)
        plan = try plans.plan(type)
        object = ImportedObject(plan)
        resolver = LinkResolver(realm)
        if let schema {
            plan.require(schema)
            let validator = DocumentValidator(schema)
            self.validator = validator.hasConstraints ? validator : nil
        } else {
            validator = nil
        }
    }

    /// Makes an object of a document, in a write transaction.
    ///
    /// - Throws: `DocumentRefusal` for a document that does not fit, or has what a unique index
    ///   says another object has, of which nothing is stored; any other error fails the
    ///   transaction.
    public func insert(_ document: Document) throws {
        if let problems = validator?.problems(in: document), !problems.isEmpty {
            throw DocumentRefusal(problems)
        }
        object.clear()
        do throws(FieldRefusal) {
            try object.fill(document)
        } catch {
            throw DocumentRefusal([error.problem])
        }
        try storeFilled()
    }

    /// Makes an object of a document of Extended JSON, in a write transaction; faster than by way
    /// of a `Document`.
    ///
    /// - Throws: as `insert(_:)`, and `DocumentError.invalidJSON`.
    public func insert(extendedJSON bytes: UnsafeRawBufferPointer) throws {
        if needsDocuments { return try insert(Document(extendedJSON: bytes)) }
        var reader = ExtendedJSONReader(bytes)
        let refusal = try fill(from: &reader)
        try reader.requireEnd()
        if let refusal { throw DocumentRefusal([refusal.problem]) }
        try storeFilled()
    }

    /// Whether documents have to be whole to be checked.
    var needsDocuments: Bool { validator != nil }

    /// Fills the object with the document that begins here, so that `storeFilled` stores it.
    ///
    /// - Returns: what does not fit; the reader is behind the document all the same.
    func fill(from reader: inout ExtendedJSONReader) throws(DocumentError) -> FieldRefusal? {
        object.clear()
        var direct = DirectJSONReader(reader)
        let refusal: FieldRefusal?
        do throws(DocumentError) {
            refusal = try direct.fill(object)
        } catch {
            reader = direct.reader
            throw error
        }
        if refusal == nil {
            reader = direct.reader
        } else {
            // The rest may not be there yet: then the reader says so by where it stands.
            _ = try reader.document()
        }
        return refusal
    }

    /// Stores the object that was filled.
    func storeFilled() throws {
        do throws(Realm.Error) {
            try plan.type.check(object.draft)
        } catch {
            throw DocumentRefusal(error)
        }
        let isNew: Bool
        if plan.hasUniqueIndexes {
            do {
                isNew = try realm.savepoint { try storeAll() }
            } catch let error as Realm.Error where error.code == .uniqueViolation {
                throw DocumentRefusal(error)
            }
        } else {
            isNew = try storeAll()
        }
        object.countUnknown()
        if isNew { insertedCount += 1 } else { replacedCount += 1 }
    }

    /// Stores the object with its links, and sets those that wait for it.
    ///
    /// - Returns: whether there was none before.
    private func storeAll() throws -> Bool {
        let (key, isNew) = try plan.type.store(object.draft)
        // A new object too: one that is gone by now may have had its key.
        try resolver.forget(from: plan.type.name, key: key)
        try object.writeDownLinks(key, resolver)
        if try resolver.hasAny(), let keySlot = plan.type.keySlot {
            let target = try plan.type.withPrimaryKey(ofKey: key) {
                LinkResolver.targetKey($0, plan.type.fields[keySlot].type)
            }
            if let target {
                try resolver.resolve(to: plan.type.name, key: target, objectKey: key)
            }
        }
        return isNew
    }

    /// Sets the links that wait for objects which came by other ways, in a write transaction.
    ///
    /// - Returns: how many links were set.
    @discardableResult
    public func resolveLinks() throws -> Int { try resolver.resolveAll() }
}

/// Why a document made no object.
public struct DocumentRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, by place in the document.
    public let problems: [DocumentProblem]

    init(_ problems: [DocumentProblem]) { self.problems = problems }

    /// What keeps a whole object from being stored.
    init(_ error: Realm.Error) {
        problems = [DocumentProblem(path: "", reason: error.message)]
    }

    /// "age: long expected, string found; name: required, and missing".
    public var description: String { problems.map(\.description).joined(separator: "; ") }
}

/// Why objects of a type cannot be made of documents.
public enum ImportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The realm has no such type.
    case unknownType(String)
    /// The type is embedded: its objects come with their owners.
    case embeddedType(String)
    /// The type is asymmetric: its objects go to a consumer once, and are made with
    /// `realm.create`.
    case asymmetricType(String)
    /// Links lead to a type that is not there, or that has no primary key.
    case keylessTargets([String])
    /// Properties embed objects of a class or of classes derived from it, and documents do not say
    /// which.
    case embeddedBaseClasses([String])

    /// What is wrong.
    public var description: String {
        switch self {
        case .unknownType(let name): "the realm has no object type \"\(name)\""
        case .embeddedType(let name):
            "\"\(name)\" is an embedded type: its objects come in the documents of their owners"
        case .asymmetricType(let name):
            "\"\(name)\" is asymmetric: its objects go to a consumer once, and can't be imported"
        case .embeddedBaseClasses(let paths):
            "documents do not say of which class an embedded object is, where there are derived "
                + "ones: " + paths.joined(separator: ", ")
        case .keylessTargets(let paths):
            "in documents a link is the key of its target; links to types without primary key are "
                + paths.joined(separator: ", ")
        }
    }
}
