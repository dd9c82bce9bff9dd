import Dispatch
import TravertineStore

/// What the block of an observation is called with.
protocol ObservedChange {
    /// Reports that the realm can't be opened on the queue or actor of the block.
    static func report(_ error: any Error, to block: (Self) -> Void)
    /// Reports that what is to be observed was deleted before it arrived there.
    static func reportDeleted(to block: (Self) -> Void)
}

extension ObservedChange {
    /// A collection that is not there any more changes no more.
    static func reportDeleted(to block: (Self) -> Void) {}
}

/// Observing on another queue or actor than that of what is observed: it is handed over, and
/// observed there.
extension ThreadConfined {
    /// Begins an observation here, or in blocks of a queue, where what is observed is shown by the
    /// realm of the queue.
    ///
    /// - Parameters:
    ///   - queue: where `begin` is called; nil is here.
    ///   - block: also called on the queue if the observation can't begin there.
    func beginObserving<Change: ObservedChange>(
        on queue: DispatchQueue?, _ block: @escaping (Change) -> Void,
        _ begin: @escaping (Self) -> NotificationToken
    ) -> NotificationToken {
        guard let queue else { return begin(self) }
        let token = NotificationToken(nil)
        HandedOver(self, begin, block).send(token, to: queue)
        return token
    }

    /// Begins an observation on an actor, where what is observed is shown by the realm of the
    /// actor.
    ///
    /// - Parameters:
    ///   - block: also called on the actor if the observation can't begin there.
    ///   - begin: called on the actor, with the block in it.
    func beginObserving<Observer: Actor, Change: ObservedChange>(
        on actor: Observer, _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated Observer, Change) -> Void,
        _ begin: @escaping (Self, @escaping (Change) -> Void) -> NotificationToken
    ) async -> NotificationToken {
        let token = NotificationToken(nil)
        let call = ActorBlock(actor, block)
        let handedOver = HandedOver(self, { begin($0) { call($0) } }, { call($0) })
        await handedOver.begin(token, on: actor)
        return token
    }
}

/// What is to be observed, on its way, with the blocks that are called where it arrives.
private final class HandedOver: @unchecked Sendable {
    // Used once, on the queue or actor that it is for.
    private let configuration: Realm.Configuration
    private let begin: (Realm) -> NotificationToken?
    private let reportDeleted: () -> Void
    private let fail: (any Error) -> Void

    init<Confined: ThreadConfined, Change: ObservedChange>(
        _ confined: Confined, _ begin: @escaping (Confined) -> NotificationToken,
        _ block: @escaping (Change) -> Void
    ) {
        guard let session = confined.realm?.session else {
            misuse("Only what is in a realm can be observed: add the object to a realm first.")
        }
        session.requireLive()
        let reference = ThreadSafeReference(to: confined)
        configuration = session.configuration
        let shown = session.snapshot
        self.begin = { realm in
            realm.resolve(reference).map { arrived in
                let token = begin(arrived)
                // What is committed on the way is reported where it arrives.
                if let shown { token.observation?.begin(since: shown) }
                return token
            }
        }
        reportDeleted = { Change.reportDeleted(to: block) }
        fail = { Change.report($0, to: block) }
    }

    func begin(
        _ token: NotificationToken, _ open: (Realm.Configuration) throws -> Realm
    ) {
        do {
            guard let begun = begin(try open(configuration)) else { return reportDeleted() }
            token.take(begun)
        } catch {
            fail(error)
        }
    }

    func send(_ token: NotificationToken, to queue: DispatchQueue) {
        let arrive: @Sendable () -> Void = { [self, weak token] in
            guard let token, !token.isEnded else { return }
            begin(token) { try Realm(configuration: $0, queue: queue) }
        }
        queue.async(execute: arrive)
    }

    func begin<Observer: Actor>(_ token: NotificationToken, on actor: isolated Observer) {
        begin(token) { try Realm($0, .on(actor), isHere: true) }
    }
}

/// Calls a block of an actor, which is notified of changes on the actor.
struct ActorBlock<Observer: Actor, Change>: @unchecked Sendable {
    // It is called on the actor only.
    private weak let actor: Observer?
    private let block: @Sendable (isolated Observer, Change) -> Void

    init(_ actor: Observer, _ block: @escaping @Sendable (isolated Observer, Change) -> Void) {
        self.actor = actor
        self.block = block
    }

    func callAsFunction(_ change: Change) {
        nonisolated(unsafe) let change = change
        actor?.assumeIsolated { block($0, change) }
    }
}
