/// An actor that realms are confined to; it usually has them, and is not kept alive.
struct ConfiningActor: Sendable {
    private let reference: Reference
    let identity: ObjectIdentifier
    let typeName: String

    private final class Reference: Sendable {
        weak let actor: (any Actor)?

        init(_ actor: any Actor) { self.actor = actor }
    }

    init(_ actor: any Actor) {
        reference = Reference(actor)
        identity = ObjectIdentifier(actor)
        typeName = String(describing: type(of: actor))
    }

    /// Nil once it has ended.
    var actor: (any Actor)? { reference.actor }

    /// Whether both are one living actor: a new one may be where an ended one was.
    func isSame(as other: ConfiningActor) -> Bool {
        guard let actor, let another = other.actor else { return false }
        return actor === another
    }

    /// Whether the calling code runs on the actor; false when it has ended, and where the language
    /// does not answer.
    var isCurrent: Bool {
        guard let actor else { return false }
        return ExecutorCheck.isCurrent(actor.unownedExecutor) ?? false
    }

    /// Whether the calling code runs on the actor. Stops with `message` where only the actor's
    /// executor knows, and says that it does not.
    func isCurrent(orStopWith message: @autoclosure () -> String) -> Bool {
        guard let actor else { return false }
        let executor = actor.unownedExecutor
        if let answer = ExecutorCheck.isCurrent(executor),
            answer || ExecutorCheck.isDefault(executor)
        {
            return answer
        }
        actor.preconditionIsolated(message())
        return true
    }

    /// Calls `body` on the actor soon; false when it has ended.
    func enqueue(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard let actor else { return false }
        Task { await Self.call(body, on: actor) }
        return true
    }

    private static func call(_ body: () -> Void, on actor: isolated any Actor) { body() }
}
