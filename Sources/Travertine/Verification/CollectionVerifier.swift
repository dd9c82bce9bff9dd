import TravertineStore

/// Verifies single values, and collections with all their nodes.
struct CollectionVerifier {
    /// What is wrong with a value, as the end of a sentence.
    struct Problem: Error, CustomStringConvertible {
        let description: String
        /// Whether a link leads nowhere, and nothing else is wrong.
        var isLink = false
    }

    private let access: ReadAccess
    private let rows: [String: KeyspaceID]
    private let rowsByNumber: [UInt32: KeyspaceID]
    /// Nodes that belong to a collection.
    private(set) var nodeCount = 0
    /// The nested collections of the value that were visited.
    private var nestedNumbers: Set<UInt32> = []
    /// What the elements' type has values for, if that is not all.
    private var domain: ValueDomainTest?
    /// The elements that it has no value for: the first one, and how many there are.
    private(set) var unknown: (first: RawConstant, count: Int)?

    /// A collection that is being read: what its elements are, and whose nodes it has.
    private struct Subject {
        var run: ElementRun
        var target: String
        var owner: CollectionOwner
        var depth: Int
    }

    init(_ access: ReadAccess, _ schema: StoredSchema) {
        self.access = access
        rows = Dictionary(
            schema.types.map { ($0.name, $0.rows) }, uniquingKeysWith: { first, _ in first })
        rowsByNumber = Dictionary(
            schema.types.map { ($0.number, $0.rows) }, uniquingKeysWith: { first, _ in first })
    }

    /// What is wrong with a value of a property; nil if it decodes.
    mutating func problem(
        _ raw: _RawValue, _ type: _StoredType, target: String, _ owner: CollectionOwner,
        ofProperty: Bool, domain: ValueDomainTest? = nil
    ) -> Problem? {
        self.domain = domain
        unknown = nil
        if !nestedNumbers.isEmpty { nestedNumbers.removeAll() }
        do throws(Problem) {
            if ofProperty { try countNumbering(of: owner, type) }
            if type.collection == .none {
                try verify(raw, type.type, target, owner, depth: 0)
            } else if case .bytes(let bytes) = raw {
                try verifyPiece(
                    bytes, Subject(run: ElementRun(type), target: target, owner: owner, depth: 1))
            }
            return nil
        } catch {
            return error
        }
    }

    /// The record that numbers nested collections is a node that no collection has.
    private mutating func countNumbering(
        of owner: CollectionOwner, _ type: _StoredType
    ) throws(Problem) {
        guard type.type == .any, owner.keyspace != .absent else { return }
        var numbering = owner
        numbering.nested = .max
        if try node(0, numbering) != nil { nodeCount += 1 }
    }

    // MARK: Values

    private mutating func verify(
        _ raw: _RawValue, _ type: PropertyType, _ target: String, _ owner: CollectionOwner,
        depth: Int
    ) throws(Problem) {
        switch (raw, type) {
        case (.null, _): return
        case (.word(let word), .object):
            try verifyLink(UInt64(bitPattern: word), rows[target])
        case (.word(let word), .bool) where word != 0 && word != 1:
            throw Problem(description: "is a truth value of \(word).")
        case (.bytes(let bytes), .string):
            guard String(validating: bytes, as: UTF8.self) != nil else {
                throw Problem(description: "is no UTF-8 text.")
            }
        case (.bytes(let bytes), .any): try verifyMixed(bytes, owner, depth: depth)
        default: return
        }
    }

    private func verifyLink(_ key: UInt64, _ keyspace: KeyspaceID?) throws(Problem) {
        guard let keyspace else {
            throw Problem(description: "links to a type that is not there.", isLink: true)
        }
        let bytes = withUnsafeBytes(of: key.bigEndian, Array.init)
        let found: Bool
        do {
            found = try bytes.withBytes { (bytes) throws(StoreError) in
                try access.indexValue(forKey: bytes, in: keyspace) != nil
            }
        } catch {
            throw Problem(description: "can't be followed: \(error)")
        }
        if !found {
            throw Problem(
                description: "links to an object that is not there (key \(key)).", isLink: true)
        }
    }

    private mutating func verifyMixed(
        _ bytes: UnsafeRawBufferPointer, _ owner: CollectionOwner, depth: Int
    ) throws(Problem) {
        if bytes.isEmpty { return }
        switch MixedCode.reference(in: bytes) {
        case .object(let type, let key): try verifyLink(key, rowsByNumber[type])
        case .collection(let kind, let number):
            guard depth < MixedCode.depthMax else {
                throw Problem(description: "is nested more than \(MixedCode.depthMax) levels deep.")
            }
            var nested = owner
            nested.nested = number
            guard let piece = try node(0, nested) else {
                throw Problem(description: "names a nested collection that is missing.")
            }
            guard nestedNumbers.insert(number).inserted else {
                throw Problem(description: "names a nested collection twice.")
            }
            nodeCount += 1
            let run = ElementRun(_StoredType(.any, collection: kind))
            try withBytes(of: piece) { (verifier, bytes) throws(Problem) in
                try verifier.verifyPiece(
                    bytes, Subject(run: run, target: "", owner: nested, depth: depth + 1))
            }
        case nil:
            guard bytes[0] > 0, let type = PropertyType(rawValue: Int(bytes[0]) - 1),
                ![.object, .linkingObjects, .any].contains(type)
            else { throw Problem(description: "is a value of an unknown type.") }
            let payload = UnsafeRawBufferPointer(rebasing: bytes[1...])
            if type == .string, String(validating: payload, as: UTF8.self) == nil {
                throw Problem(description: "is no UTF-8 text.")
            }
            let count = type.shape == .word ? 8 : type.elementByteCount ?? payload.count
            guard payload.count == count else {
                throw Problem(description: "is a value of \(payload.count) bytes, not \(count).")
            }
        }
    }

    // MARK: Collections

    private mutating func verifyPiece(
        _ bytes: UnsafeRawBufferPointer, _ subject: Subject
    ) throws(Problem) {
        if bytes.isEmpty { return }
        switch CollectionPiece(bytes) {
        case .inline(let count):
            let elements = bytes.dropFirst(CollectionPiece.inlineHeaderByteCount)
            guard bytes[0] == 0, bytes.count >= CollectionPiece.inlineHeaderByteCount else {
                throw Problem(description: "is no collection.")
            }
            try verifyElements(UnsafeRawBufferPointer(rebasing: elements), count, subject)
        case .tree(let height, let root, let next, let count):
            guard CollectionTree.soundHeights.contains(height) else {
                throw Problem(description: "has a tree of \(height) levels.")
            }
            var seen: Set<UInt32> = []
            try verifyNode(root, height, count, next, subject, &seen)
        }
    }

    private mutating func verifyNode(
        _ number: UInt32, _ level: Int, _ count: Int, _ next: UInt32, _ subject: Subject,
        _ seen: inout Set<UInt32>
    ) throws(Problem) {
        guard number < next, seen.insert(number).inserted else {
            throw Problem(description: "has node \(number) twice, or before it was made.")
        }
        guard let bytes = try node(number, subject.owner) else {
            throw Problem(description: "lacks node \(number).")
        }
        nodeCount += 1
        if level == 1 {
            try withBytes(of: bytes) { (verifier, bytes) throws(Problem) in
                try verifier.verifyElements(bytes, count, subject)
            }
            return
        }
        let entries = bytes.withUnsafeBytes { CollectionTree.decode($0) }
        let sum = entries.reduce(0) { $0 &+ $1.count }
        guard !entries.isEmpty, sum == count, entries.allSatisfy({ $0.count > 0 }) else {
            throw Problem(description: "counts \(count) elements, and node \(number) \(sum).")
        }
        for entry in entries {
            try verifyNode(entry.node, level - 1, entry.count, next, subject, &seen)
        }
    }

    private mutating func verifyElements(
        _ bytes: UnsafeRawBufferPointer, _ count: Int, _ subject: Subject
    ) throws(Problem) {
        var offset = 0
        var found = 0
        var before: RunElement?
        while let element = subject.run.element(at: offset, in: bytes) {
            offset = element.next
            found += 1
            if subject.run.collection == .map,
                String(validating: element.key, as: UTF8.self) == nil
            {
                throw Problem(description: "has a key that is no UTF-8 text.")
            }
            if subject.run.collection != .list, let before,
                subject.run.order(before, to: element) >= 0
            {
                throw Problem(description: "has elements \(found - 1) and \(found) out of order.")
            }
            before = element
            try verify(
                element.value, subject.run.type, subject.target, subject.owner, depth: subject.depth
            )
            if let domain { note(element.value, domain) }
        }
        guard found == count, offset == bytes.count else {
            throw Problem(description: "counts \(count) elements and holds \(found).")
        }
    }

    /// Notes an element that the type has no value for.
    private mutating func note(_ raw: _RawValue, _ domain: ValueDomainTest) {
        let value = RawConstant(raw)
        if domain.contains(value) { return }
        unknown = (unknown?.first ?? value, (unknown?.count ?? 0) + 1)
    }

    // MARK: Nodes

    private func node(_ number: UInt32, _ owner: CollectionOwner) throws(Problem) -> [UInt8]? {
        do {
            return try owner.key(number).withBytes { (key) throws(StoreError) in
                try access.value(forKey: key, in: owner.keyspace, verified: true).map(Array.init)
            }
        } catch {
            throw Problem(description: "has a node that can't be read: \(error)")
        }
    }

    private mutating func withBytes(
        of bytes: [UInt8],
        _ body: (inout CollectionVerifier, UnsafeRawBufferPointer) throws(Problem) -> Void
    ) throws(Problem) {
        let outcome = bytes.withUnsafeBytes { buffer -> Problem? in
            do throws(Problem) {
                try body(&self, buffer)
                return nil
            } catch {
                return error
            }
        }
        if let outcome { throw outcome }
    }
}
