import Dispatch
import TravertineStore

extension RealmKeyedCollection where Self: ObservedMap {
    /// Calls a block with what changes in the map, until the token is invalidated or let go of.
    ///
    /// As for lists (`observe`), with keys instead of positions.
    ///
    /// - Parameters:
    ///   - keyPaths: names of properties of the objects in the map, as for lists.
    ///   - queue: where the block is called instead, as for lists.
    ///   - block: called with the map and the keys of what changed.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken {
        if let queue {
            return observe(
                on: queue, { $0.observe(keyPaths: keyPaths, block) }, orFail: { block(.error($0)) })
        }
        return _observe(keyPaths) { [self] report in
            switch report {
            case .initial: block(.initial(self))
            case .update(let deletions, let insertions, let modifications):
                block(
                    .update(
                        self, deletions: deletions.map { Key(_text: $0) },
                        insertions: insertions.map { Key(_text: $0) },
                        modifications: modifications.map { Key(_text: $0) }))
            }
        }
    }
}

/// Key paths of the objects in a map.
extension RealmKeyedCollection where Self: ObservedMap {
    /// As `observe(keyPaths:_:)` with names.
    public func observe<Model: ObjectBase>(
        keyPaths: [PartialKeyPath<Model>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken where Value == Model? {
        observe(keyPaths: ObservedPaths.names(keyPaths), on: queue, block)
    }

    /// As `observe(keyPaths:on:_:)` with names.
    public func observe<Observer: Actor, Model: ObjectBase>(
        keyPaths: [PartialKeyPath<Model>], on actor: Observer,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated Observer, RealmMapChange<Self>) -> Void
    ) async -> NotificationToken where Value == Model? {
        await observe(keyPaths: ObservedPaths.names(keyPaths), on: actor, block)
    }
}

extension RealmKeyedCollection where Self: ObservedMap {
    /// As `observe(keyPaths:_:)`, on an actor.
    public func observe<Observer: Actor>(
        keyPaths: [String]? = nil, on actor: Observer,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated Observer, RealmMapChange<Self>) -> Void
    ) async -> NotificationToken {
        let call = ActorBlock(actor, block)
        return await observe(
            on: actor, { $0.observe(keyPaths: keyPaths) { call($0) } },
            orFail: { call(.error($0)) })
    }
}

/// A map that can be observed: `Map`.
public protocol ObservedMap {}

extension Map: ObservedMap {}

extension RealmKeyedCollection {
    func _observe(
        _ names: [String]?, _ block: @escaping (MapReport) -> Void
    ) -> NotificationToken {
        guard let anchor = (self as? any AnchoredMap)?.anchor else {
            misuse(
                "Only managed maps can be observed: add the object that the map belongs to to a realm "
                    + "first.")
        }
        let storage = anchor.storage
        var paths: [PropertyPath]?
        if storage.nesting == nil, storage.property.type == .object,
            let target = storage.session.table(named: storage.property.target)
        {
            paths = ObservedPaths.paths(names, of: target)
        } else {
            require(
                names?.isEmpty ?? true || storage.run.type == .any,
                "Can't observe key paths of values: they have no properties.")
            paths = ObservedPaths.paths(names)
        }
        return storage.session.observe(MapObservation(storage, keyPaths: paths, block))
    }
}

/// What has the anchor of a managed map.
private protocol AnchoredMap {
    var anchor: CollectionAnchor? { get }
}

extension Map: AnchoredMap {}
