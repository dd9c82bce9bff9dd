import Travertine

/// Looks at documents as an import would, and reports what is wrong with each.
///
/// ```swift
/// let checker = try DocumentChecker(realm, type: "Dog", schema: schema)
/// realm.beginWrite()
/// defer { realm.cancelWrite() }
/// while let document = try documents.next() {
///     for problem in try checker.check(document) { print(documents.documentCount, problem) }
/// }
/// for bad in try checker.finish() { print(bad) }
/// ```
///
/// A document is bad if the importer would refuse it, and if an earlier one has its key: an import
/// would keep the last one only. What it links to may come later, or be in the realm.
///
/// It needs a write transaction, which must be cancelled: documents of a type with unique indexes
/// are imported in it, as nothing else finds what these forbid. With a schema that has constraints,
/// each document is stored and at once rolled back, as an export would need to write it too. What
/// is held in memory otherwise is the keys. It belongs to the thread of its realm.
public final class DocumentChecker {
    private let importer: DocumentImporter
    private let schemaValidator: DocumentValidator?
    private let ownValidator: DocumentValidator?
    /// Whether documents are imported, to be forgotten: of a type with unique indexes.
    private let isStoring: Bool
    /// The first document with each key.
    private var positions: [[UInt8]: Int] = [:]
    /// The documents that are bad, of those that others can lead to.
    private var badKeys: Set<[UInt8]> = []
    /// Documents whose required links have no target yet.
    private var pending: [PendingDocument] = []
    /// Other links that have no target yet.
    private var links: [(type: String, property: String, target: LinkTarget)] = []

    private struct PendingDocument {
        let position: Int
        let own: LinkTarget?
        let missing: [MissingTarget]
    }

    /// How many documents were looked at.
    public var documentCount: Int { importer.position }
    /// Fields that there is no property for, and how often they came in good documents.
    public var unknownFields: [String: Int] { importer.unknownFields }
    /// Fields of good documents that were null where the property cannot be nil, and how often: an
    /// import takes its default.
    public var defaultedFields: [String: Int] { importer.defaultedFields }

    /// A checker of documents of a type, by its stored name or the name of its class.
    ///
    /// - Parameters:
    ///   - realm: the realm that the objects would be in.
    ///   - name: the type.
    ///   - schema: what documents must look like; by default, what the type says.
    ///   - collections: those of the data source, as an importer takes them.
    /// - Throws: `ImportError`.
    public init(
        _ realm: Realm, type name: String, schema: DocumentSchema? = nil,
        collections: [DataSource.Collection] = []
    ) throws(ImportError) {
        importer = try DocumentImporter(
            realm, type: name, schema: schema, collections: collections)
        let type = importer.plan.type
        schemaValidator = schema.map { DocumentValidator($0, of: type, in: realm) }
        ownValidator = Self.ownSchema(type.name, realm).map {
            DocumentValidator($0, of: type, in: realm)
        }
        isStoring = importer.plan.hasUniqueIndexes
        importer.holdsDocuments = isStoring
    }

    /// What the type says of its documents; nil for one that embeds itself, which has no end.
    private static func ownSchema(_ name: String, _ realm: Realm) -> DocumentSchema? {
        do {
            return try ObjectMapping.documentSchema(of: name, in: realm.schema)
        } catch {
            return nil
        }
    }

    /// Looks at the next document, in a write transaction that is cancelled in the end.
    ///
    /// - Returns: everything that is wrong with it.
    /// - Throws: errors of reading.
    public func check(_ document: Document) throws -> [DocumentProblem] {
        importer.position += 1
        let position = importer.position
        let own = importer.plan.type.keySlot == nil ? nil : importer.own(document, at: position)
        var problems = contentProblems(document)
        if problems.isEmpty, !isStoring { problems = try importer.writtenProblems() }
        if problems.isEmpty {
            note(importer.object, own, position)
            if isStoring {
                problems = try storageProblems()
            } else {
                importer.object.countFields()
            }
        }
        if let own {
            if let first = positions[own.key] {
                problems.append(duplicate(first))
            } else {
                positions[own.key] = position
                if !problems.isEmpty { badKeys.insert(own.key) }
            }
        }
        return problems
    }

    /// Takes note of a document that can't be read at all, so that positions go on after it.
    public func passOver() { importer.position += 1 }

    /// What is wrong with a document by itself; without such, the object is filled with it.
    private func contentProblems(_ document: Document) -> [DocumentProblem] {
        var problems = schemaValidator?.problems(in: document) ?? []
        let refusal: DocumentRefusal
        do throws(DocumentRefusal) {
            try importer.fill(document)
            do throws(Realm.Error) {
                try importer.plan.type.check(importer.object.draft)
            } catch {
                throw DocumentRefusal(error)
            }
            return problems
        } catch {
            refusal = error
        }
        // That is the first thing that does not fit; a validator reports the others too.
        if problems.isEmpty { problems = ownValidator?.problems(in: document) ?? [] }
        let paths = problems.map(\.path)
        return problems
            + refusal.problems.filter { problem in
                !paths.contains { $0 == problem.path || $0.hasPrefix(problem.path + ".") }
            }
    }

    /// Stores the object, or holds its document back, to find what unique indexes forbid.
    private func storageProblems() throws -> [DocumentProblem] {
        do {
            try importer.storeFilled()
            return []
        } catch let refusal as DocumentRefusal {
            return refusal.problems
        }
    }

    private func duplicate(_ first: Int) -> DocumentProblem {
        let type = importer.plan.type
        return DocumentProblem(
            path: type.keySlot.map { type.fields[$0].name } ?? "",
            reason: "document \(first) has this key; an import keeps the last one")
    }

    /// Takes note of links without target.
    private func note(_ object: ImportedObject, _ own: LinkTarget?, _ position: Int) {
        let missing = isStoring ? [] : object.missing.filter { $0.target != own }
        if !missing.isEmpty {
            pending.append(PendingDocument(position: position, own: own, missing: missing))
        }
        noteLinks(object)
    }

    private func noteLinks(_ object: ImportedObject) {
        for link in object.waiting {
            let field = object.plan.type.fields[link.slot]
            if field.isRequired { continue }
            links.append(
                (object.plan.type.name, field.name, LinkTarget(link.target, link.targetKey)))
        }
        for child in object.children { noteLinks(child.object) }
    }

    // MARK: The end

    /// The documents that are bad because a required link leads to nothing, after the last one.
    public func finish() throws -> [BadDocument] {
        if isStoring {
            try importer.resolveLinks()
            return importer.heldRefusals.sorted { $0.position < $1.position }.map {
                BadDocument(position: $0.position, problems: $0.refusal.problems)
            }
        }
        var bad: [BadDocument] = []
        var isMore = true
        // What needs a document that is bad is bad, too.
        while isMore {
            isMore = false
            var rest: [PendingDocument] = []
            for document in pending {
                guard let missing = try document.missing.first(where: { try !comes($0.target) })
                else {
                    rest.append(document)
                    continue
                }
                isMore = true
                if let own = document.own { badKeys.insert(own.key) }
                bad.append(
                    BadDocument(
                        position: document.position, problems: [importer.problem(missing)]))
            }
            pending = rest
        }
        return bad.sorted { $0.position < $1.position }
    }

    /// Whether a link's target is there, or among the documents.
    private func comes(_ target: LinkTarget) throws -> Bool {
        if target.type == importer.plan.type.name, positions[target.key] != nil,
            !badKeys.contains(target.key)
        {
            return true
        }
        return try importer.isThere(target)
    }

    /// The links that would wait for objects which are not there, by property, after the last
    /// document.
    ///
    /// - Parameter keyCountMax: how many keys of such objects are named for each property.
    public func linksWithoutTarget(keyCountMax: Int = 5) throws -> [LinksWithoutTarget] {
        var found: [LinksWithoutTarget] = []
        for link in links {
            if try comes(link.target) { continue }
            let key = importer.key(of: link.target)
            LinksWithoutTarget.note(
                (link.type, link.property, link.target.type), key, in: &found, keyCountMax)
        }
        return found
    }
}
