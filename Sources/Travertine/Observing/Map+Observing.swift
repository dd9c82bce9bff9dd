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
        beginObserving(on: queue, block) { $0.observeHere(keyPaths, block) }
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
        await beginObserving(on: actor, block) { $0.observeHere(keyPaths, $1) }
    }
}

/// A map that can be observed: `Map`.
public protocol ObservedMap {}

extension Map: ObservedMap {}

extension RealmKeyedCollection {
    fileprivate func observeHere(
        _ names: [String]?, _ block: @escaping (RealmMapChange<Self>) -> Void
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
        let observation = MapObservation(storage, keyPaths: paths) { [self] report in
            block(report.change(of: self))
        }
        return storage.session.observe(observation)
    }
}

/// What has the anchor of a managed map.
private protocol AnchoredMap {
    var anchor: CollectionAnchor? { get }
}

extension Map: AnchoredMap {}

extension MapReport {
    /// The change as a block of a map is notified of it.
    fileprivate func change<Base: RealmKeyedCollection>(of map: Base) -> RealmMapChange<Base> {
        switch self {
        case .initial: return .initial(map)
        case .update(let deletions, let insertions, let modifications):
            func keys(_ texts: [String]) -> [Base.Key] { texts.map { Base.Key(_text: $0) } }
            return .update(
                map, deletions: keys(deletions), insertions: keys(insertions),
                modifications: keys(modifications))
        }
    }
}
