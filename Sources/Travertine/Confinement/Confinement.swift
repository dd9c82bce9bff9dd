import CPlatform
import Dispatch

/// Where a realm may be used: on a thread, on a serial queue, or on an actor (Live 3, T-L1 to
/// T-L4).
///
/// The main thread is the main queue, which other threads may drain as well. An actor is not kept
/// alive: it is usually the one that has the realm.
enum Confinement: Sendable {
    /// A thread outside of queues and actors, by its number; and the task that ran on it, 0 for
    /// none. Threads of pools run many tasks, which must not find each other's realms.
    case thread(UInt, task: UInt)
    case queue(ConfiningQueue)
    case actor(ConfiningActor)

    /// What distinguishes realms of one store.
    enum Key: Hashable {
        case thread(UInt, task: UInt)
        case object(ObjectIdentifier)
    }

    /// The one of a realm that is opened here without naming one.
    static var current: Confinement {
        if ConfiningQueue.main.isCurrent { return .queue(.main) }
        return .thread(UInt(travertine_current_thread()), task: currentTask)
    }

    /// The actor's; that of the main actor is the main queue's.
    static func on(_ actor: any Actor) -> Confinement {
        actor is MainActor ? .queue(.main) : .actor(ConfiningActor(actor))
    }

    /// The task that runs on this thread; 0 for none.
    static var currentTask: UInt {
        withUnsafeCurrentTask { $0.map { unsafeBitCast($0, to: UInt.self) } ?? 0 }
    }

    var key: Key {
        switch self {
        case .thread(let number, let task): .thread(number, task: task)
        case .queue(let queue): .object(ObjectIdentifier(queue.mark))
        case .actor(let actor): .object(actor.identity)
        }
    }

    /// Whether the calling code runs there. Stops the program, with `message`, where the language
    /// has no question to an actor that could be answered with no.
    func isCurrent(orStopWith message: @autoclosure () -> String) -> Bool {
        switch self {
        case .thread(let number, _): number == travertine_current_thread()
        case .queue(let queue): queue.isCurrent
        case .actor(let actor): actor.isCurrent(orStopWith: message())
        }
    }

    /// Whether it is the same as another; not for an actor that ended and one in its place.
    func isSame(as other: Confinement) -> Bool {
        if case .actor(let actor) = self, case .actor(let another) = other {
            return actor.isSame(as: another)
        }
        return key == other.key
    }

    /// Whether code can be sent there.
    var takesWork: Bool {
        if case .thread = self { return false }
        return true
    }

    /// The actor; nil for others, and once it has ended.
    var actor: (any Actor)? {
        if case .actor(let actor) = self { return actor.actor }
        return nil
    }

    /// Whether it is an actor that has ended, or is just ending.
    var hasEnded: Bool {
        if case .actor(let actor) = self { return actor.actor == nil }
        return false
    }

    /// Calls `body` there soon, alone; false for a thread, to which nothing can be sent, and for an
    /// actor that has ended.
    @discardableResult
    func enqueue(_ body: @escaping @Sendable () -> Void) -> Bool {
        switch self {
        case .thread: return false
        case .queue(let queue):
            queue.queue.async(execute: body)
            return true
        case .actor(let actor): return actor.enqueue(body)
        }
    }

    /// What a realm is confined to, for messages.
    var description: String {
        switch self {
        case .thread: "the thread that opened it"
        case .queue(let queue):
            queue.isMain ? "the main queue" : "the queue '\(queue.queue.label)'"
        case .actor(let actor): "the actor \(actor.typeName)"
        }
    }

    /// What to do where it is not current, for messages.
    var advice: String {
        switch self {
        case .thread:
            "Open the realm again on this thread with `Realm(configuration:)` and look the object "
                + "up there by its primary key. After an `await`, code may go on with another "
                + "thread: open the realm on an actor with `try await Realm.open()`."
        case .queue(let queue):
            queue.isMain
                ? "Use it on the main actor or in blocks of DispatchQueue.main, or open another here "
                    + "with `Realm(configuration:)`."
                : "Use it in blocks of that queue, or open another here with "
                    + "`Realm(configuration:)`."
        case .actor:
            "Use it in code of that actor, or open another here with "
                + "`try await Realm.open(configuration:)`."
        }
    }
}
