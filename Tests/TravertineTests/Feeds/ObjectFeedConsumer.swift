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
    /// The types that it was shown last.
    private(set) var types: [FeedType] = []
    /// What was wrong with the order of events.
    private(set) var problems: [String] = []
    /// How many events of objects came.
    private(set) var changeCount = 0
    private(set) var position: FeedPosition?

    private var pending: [(Identity, StoredDocument?)] = []
    private var isWhole = false

    /// Reads until there is nothing more.
    mutating func readAll(_ feed: ObjectFeed) throws {
        repeat { forgetPart() } while try feed.read { take($0) }
    }

    /// What came since the last `reached` does not count.
    mutating func forgetPart() { (pending, isWhole) = ([], false) }

    mutating func take(_ event: ObjectFeedEvent) {
        switch event {
        case .snapshot(let reason):
            snapshots.append(reason)
            (pending, isWhole) = ([], true)
        case .schema(let types):
            self.types = types
        case .put(let object):
            changeCount += 1
            if !types.contains(where: { $0 === object.type }) {
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
            for (identity, document) in pending { objects[identity] = document }
            self.position = position
            forgetPart()
        }
    }

    private func text(_ identity: Identity) -> String {
        objects[identity].map { "\($0)" } ?? "none"
    }

    /// What differs from what another one has.
    func differences(from other: Self) -> [String] {
        Set(objects.keys).union(other.objects.keys).sorted().compactMap { identity in
            // As texts: a NaN equals no other.
            let (own, others) = (text(identity), other.text(identity))
            return own == others ? nil : "\(identity): \(own), not \(others)"
        }
    }
}
