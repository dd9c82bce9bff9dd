import TravertineStore

@testable import Travertine

/// What somebody has who applies what a feed of objects shows.
struct ObjectFeedConsumer {
    struct Identity: Hashable, Comparable {
        var type: String
        var key: UInt64

        static func < (left: Self, right: Self) -> Bool {
            (left.type, left.key) < (right.type, right.key)
        }
    }

    /// The objects that it has.
    private(set) var objects: [Identity: StoredDocument] = [:]
    /// The reasons of the snapshots that it was shown.
    private(set) var snapshots: [FeedSnapshotReason] = []
    /// The types of its objects.
    private(set) var types: [FeedType] = []
    /// The numbers that asymmetric objects had in a property `number`, and how often each came:
    /// the object keys may be given out again after a realm was put back.
    private(set) var reports: [Int64: Int] = [:]
    /// What was wrong with the order of events.
    private(set) var problems: [String] = []
    /// How many events of objects came.
    private(set) var changeCount = 0
    private(set) var position: FeedPosition?

    private var pending: [(Identity, StoredDocument?)] = []
    private var pendingTypes: [FeedType]?
    private var isWhole = false

    /// Reads until there is nothing more.
    mutating func readAll(_ feed: ObjectFeed) throws {
        repeat { forgetPart() } while try feed.read { take($0) }
    }

    /// What came since the last `reached` does not count.
    mutating func forgetPart() { (pending, pendingTypes, isWhole) = ([], nil, false) }

    mutating func take(_ event: ObjectFeedEvent) {
        switch event {
        case .snapshot(let reason):
            snapshots.append(reason)
            forgetPart()
            isWhole = true
        case .schema(let types):
            pendingTypes = types
        case .put(let object):
            changeCount += 1
            if !(pendingTypes ?? types).contains(where: { $0 === object.type }) {
                problems.append("\(object.type.name) was not shown before")
            }
            if object.document.fields.map(\.name) != object.type.properties.map(\.name) {
                problems.append("\(object.document) has other fields than its type")
            }
            pending.append((Identity(type: object.type.name, key: object.key), object.document))
        case .delete(let object):
            changeCount += 1
            pending.append((Identity(type: object.type.name, key: object.key), nil))
        case .reached(let position):
            if isWhole {
                let kept = Set(types.filter(\.isAsymmetric).map(\.name))
                objects = objects.filter { kept.contains($0.key.type) }
            }
            if let pendingTypes { carry(to: pendingTypes) }
            for (identity, document) in pending {
                objects[identity] = document
                if case .int(let number)? = document?["number"], isAsymmetric(identity.type) {
                    reports[number, default: 0] += 1
                }
            }
            self.position = position
            forgetPart()
        }
    }

    private func isAsymmetric(_ name: String) -> Bool {
        types.contains { $0.name == name && $0.isAsymmetric }
    }

    /// Gives its objects the properties of other types: what is renamed, added or removed is not
    /// shown for objects that did not change.
    private mutating func carry(to new: [FeedType]) {
        let old = Dictionary(uniqueKeysWithValues: types.map { ($0.name, $0) })
        types = new
        guard !objects.isEmpty else { return }
        var carried: [Identity: StoredDocument] = [:]
        for (identity, document) in objects {
            guard let before = old[identity.type],
                let after = new.first(where: { $0.number == before.number })
            else { continue }
            var values: [UInt32: StoredValue] = [:]
            for (property, field) in zip(before.properties, document.fields) {
                values[property.number] = field.value
            }
            let fields = after.properties.map { property in
                StoredDocument.Field(
                    name: property.name,
                    value: values[property.number] ?? Self.valueBefore(property))
            }
            carried[Identity(type: after.name, key: identity.key)] = StoredDocument(fields)
        }
        objects = carried
    }

    /// What objects have that were stored before a property.
    private static func valueBefore(_ property: FeedProperty) -> StoredValue {
        switch property.shape {
        case .single: property.defaultValue
        case .list, .set: .array([])
        case .map: .document(StoredDocument())
        }
    }

    private func text(_ identity: Identity) -> String {
        objects[identity].map { "\($0)" } ?? "none"
    }

    /// What differs from what another one has.
    ///
    /// - Parameter isChanging: whether asymmetric objects are left out.
    func differences(from other: Self, isChanging: Bool = false) -> [String] {
        Set(objects.keys).union(other.objects.keys).sorted().compactMap { identity in
            if isChanging, isAsymmetric(identity.type) { return nil }
            // As texts: a NaN equals no other.
            let (own, others) = (text(identity), other.text(identity))
            return own == others ? nil : "\(identity): \(own), not \(others)"
        }
    }
}
