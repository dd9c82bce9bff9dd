import Locks
import TravertineStore

/// What changes in something that is observed, as an asynchronous sequence.
///
/// ```swift
/// for await change in tasks.changes {
///     if case .update(let tasks, _, let insertions, _) = change { show(tasks, insertions) }
/// }
/// ```
/// Nothing is buffered: a change is computed when it is asked for, from what was given out last to
/// what the realm shows then. Who takes long over one gets those of several commits as one, and its
/// positions fit what the collection shows. The sequence of an object ends after `.deleted`, others
/// when the task is cancelled or the realm is invalidated.
///
/// Needs a realm of an actor or queue, and a loop on it: nothing wakes a loop on a bare thread.
public struct ChangeSequence<Change>: AsyncSequence {
    /// A change.
    public typealias Element = Change
    /// It does not fail.
    public typealias Failure = Never

    let begin: (@escaping (Change) -> Void) -> NotificationToken

    /// Begins an observation, whose first change is asked for by `next`.
    public func makeAsyncIterator() -> Iterator { Iterator(begin) }

    /// Gives out the changes of one observation, to one task at a time: a second one that asks
    /// at the same time stops the program.
    public final class Iterator: AsyncIteratorProtocol {
        private let token: NotificationToken
        private let received: Received
        private let signal = WakeSignal()

        private final class Received {
            var change: Change?
        }

        fileprivate init(_ begin: (@escaping (Change) -> Void) -> NotificationToken) {
            let received = Received()
            self.received = received
            token = begin { received.change = $0 }
            guard let observation = token.observation else { return }
            require(
                observation.session.confinement.takesWork,
                "Changes can be waited for on an actor or queue: on a bare thread nothing wakes the loop. "
                    + "Open the realm with `try await Realm.open()` on an actor, or use `observe`.")
            observation.pull = { [signal] in signal.wake() }
        }

        /// The next change; nil at the end.
        public func next() async -> Change? { await next(isolation: nil) }

        /// The next change; nil at the end. Needs the actor or queue of the realm.
        public func next(isolation actor: isolated (any Actor)?) async -> Change? {
            while let observation = token.observation, !observation.isEnded, !Task.isCancelled {
                observation.session.deliver(to: observation)
                if let change = received.change.take() { return change }
                await signal.wait(isolation: actor)
            }
            token.invalidate()
            // Who asks in another task sees the end, too.
            signal.wake()
            return nil
        }
    }
}

/// Wakes one task; remembers to if it does not wait yet. A second one, which would wait for ever,
/// is stopped.
private final class WakeSignal: Sendable {
    private struct State {
        var isWoken = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())

    /// Any thread.
    func wake() {
        let waiting = state.withLock { state in
            state.isWoken = state.waiting == nil
            return state.waiting.take()
        }
        waiting?.resume()
    }

    /// Returns once it was woken since the last call, or the task is cancelled.
    func wait(isolation actor: isolated (any Actor)?) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isWoken, isOnlyOne) = state.withLock { state in
                    if state.isWoken {
                        state.isWoken = false
                        return (true, true)
                    }
                    if state.waiting != nil { return (false, false) }
                    state.waiting = continuation
                    return (false, true)
                }
                require(
                    isOnlyOne,
                    "Two tasks ask one iterator for its next change. Give each task an iterator, by a "
                        + "separate `for await` over the sequence.")
                if isWoken { continuation.resume() }
            }
        } onCancel: {
            wake()
        }
    }
}

extension RealmSession {
    /// Reports what is shown to one observation.
    func deliver(to observation: Observation) {
        checkThread()
        if isWriting { return }
        do {
            let version = try shownVersion()
            observation.deliver(version, isPulled: true) {
                try VersionStep(self, from: $0, to: version)
            }
        } catch {
            damage = error
        }
    }
}

extension RealmCollection {
    /// What changes in the collection, beginning with `.initial`.
    public var changes: ChangeSequence<RealmCollectionChange<Self>> { changes(keyPaths: nil) }

    /// As `changes`, of what key paths lead to: see `observe(keyPaths:on:_:)`.
    public func changes(keyPaths: [String]?) -> ChangeSequence<RealmCollectionChange<Self>> {
        ChangeSequence { [self] in observe(keyPaths: keyPaths, $0) }
    }
}

extension RealmKeyedCollection where Self: ObservedMap {
    /// What changes in the map, beginning with `.initial`.
    public var changes: ChangeSequence<RealmMapChange<Self>> { changes(keyPaths: nil) }

    /// As `changes`, of what key paths lead to.
    public func changes(keyPaths: [String]?) -> ChangeSequence<RealmMapChange<Self>> {
        ChangeSequence { [self] in observe(keyPaths: keyPaths, $0) }
    }
}

extension SectionedResults {
    /// What changes in the sections, beginning with `.initial`.
    public var changes: ChangeSequence<SectionedResultsChange<Self>> { changes(keyPaths: nil) }

    /// As `changes`, of what key paths lead to.
    public func changes(keyPaths: [String]?) -> ChangeSequence<SectionedResultsChange<Self>> {
        ChangeSequence { [self] in observe(keyPaths: keyPaths, $0) }
    }
}

extension ResultsSection {
    /// What changes in the section, beginning with `.initial`.
    public var changes: ChangeSequence<SectionedResultsChange<Self>> { changes(keyPaths: nil) }

    /// As `changes`, of what key paths lead to.
    public func changes(keyPaths: [String]?) -> ChangeSequence<SectionedResultsChange<Self>> {
        ChangeSequence { [self] in observe(keyPaths: keyPaths, $0) }
    }
}

extension ProjectedCollection {
    /// What changes in the collection, beginning with `.initial`.
    public var changes: ChangeSequence<RealmCollectionChange<Self>> { changes(keyPaths: nil) }

    /// As `changes`, of what key paths lead to.
    public func changes(keyPaths: [String]?) -> ChangeSequence<RealmCollectionChange<Self>> {
        ChangeSequence { [self] in observe(keyPaths: keyPaths, $0) }
    }
}

extension Realm {
    /// That the realm shows another version, or that it can; from now on, also after
    /// `invalidate()`.
    public var changes: ChangeSequence<Notification> {
        ChangeSequence { [self] report in observe { notification, _ in report(notification) } }
    }
}

extension ThreadConfined where Self: ObjectBase {
    /// What changes in the object, from now on; ends after `.deleted`.
    public var changes: ChangeSequence<ObjectChange<Self>> { changes(keyPaths: nil) }

    /// As `changes`, of what key paths lead to.
    public func changes(keyPaths: [String]?) -> ChangeSequence<ObjectChange<Self>> {
        ChangeSequence { [self] in observe(keyPaths: keyPaths, $0) }
    }

    /// The value of a property, now and after each change; ends when the object is deleted. Who
    /// takes long over a value gets the newest one next.
    public func values<Value>(of keyPath: KeyPath<Self, Value>) -> ValueSequence<Self, Value> {
        ValueSequence(object: self, keyPath: keyPath)
    }
}

extension ThreadConfined where Self: ProjectionObservable {
    /// What changes in the projection, from now on; ends after `.deleted`.
    public var changes: ChangeSequence<ObjectChange<Self>> { changes(keyPaths: nil) }

    /// As `changes`, of the projected properties that are named.
    public func changes(keyPaths: [String]?) -> ChangeSequence<ObjectChange<Self>> {
        ChangeSequence { [self] in observe(keyPaths: keyPaths, $0) }
    }
}

/// The values that a property of an object has, one after the other.
public struct ValueSequence<Model: ObjectBase, Value>: AsyncSequence {
    /// A value.
    public typealias Element = Value
    /// It does not fail.
    public typealias Failure = Never

    let object: Model
    let keyPath: KeyPath<Model, Value>

    /// Begins with the value of now.
    public func makeAsyncIterator() -> Iterator {
        let names = ObservedPaths.names([keyPath as PartialKeyPath<Model>])
        return Iterator(object, keyPath, object.changes(keyPaths: names).makeAsyncIterator())
    }

    /// Gives out the values of one observation.
    public final class Iterator: AsyncIteratorProtocol {
        private let object: Model
        private let keyPath: KeyPath<Model, Value>
        private let changes: ChangeSequence<ObjectChange<Model>>.Iterator
        private var isFirst = true

        fileprivate init(
            _ object: Model, _ keyPath: KeyPath<Model, Value>,
            _ changes: ChangeSequence<ObjectChange<Model>>.Iterator
        ) {
            self.object = object
            self.keyPath = keyPath
            self.changes = changes
        }

        /// The next value; nil once the object is deleted.
        public func next() async -> Value? { await next(isolation: nil) }

        /// The next value; nil once the object is deleted. Needs the actor or queue of the realm.
        public func next(isolation actor: isolated (any Actor)?) async -> Value? {
            if isFirst {
                isFirst = false
                return object.isInvalidated ? nil : object[keyPath: keyPath]
            }
            guard case .change? = await changes.next(isolation: actor) else { return nil }
            return object[keyPath: keyPath]
        }
    }
}
