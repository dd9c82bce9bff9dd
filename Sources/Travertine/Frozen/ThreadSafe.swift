import Locks

/// A variable for something live in a realm that any thread may use: each gets it as its own realm
/// shows it.
///
/// ```swift
/// @ThreadSafe var city: City? = realm.object(ofType: City.self, forPrimaryKey: 1)
/// DispatchQueue.global().async {
///     guard let city = $city.wrappedValue else { return } // it was deleted
///     try! city.realm!.write { city.population += 1 }
/// }
/// ```
/// Reading opens the realm on the calling thread, which keeps an open one, refreshes it where it
/// shows an older version than the thread that set the variable, and looks the object up; nil if it
/// was deleted. Something frozen is given as it is. Setting needs the thread of the realm, and that
/// no write transaction is open on it; it stops for something unmanaged.
///
/// The version that was seen last keeps its place in the store.
@propertyWrapper
public final class ThreadSafe<Confined: ThreadConfined>: @unchecked Sendable {
    private struct State {
        var frozen: Confined?
        /// Whether it was live when it was set.
        var isLive = false
        /// Counts the changes of the variable.
        var changeCount = 0
    }

    private let state: Locked<State>

    /// A variable with a value.
    public init(wrappedValue: Confined?) { state = Locked(Self.state(wrappedValue)) }

    private static func state(_ value: Confined?) -> State {
        State(frozen: value?.freeze(), isLive: value?.isFrozen == false)
    }

    /// The variable itself, for closures that run on other threads.
    public var projectedValue: ThreadSafe { self }

    /// The value as the calling thread's realm shows it; nil if it was deleted.
    public var wrappedValue: Confined? {
        get {
            let current = state.withLock { $0 }
            guard current.isLive, let frozen = current.frozen else { return current.frozen }
            let value = frozen.thaw()
            if let value { renew(current, value) }
            return value
        }
        set {
            var new = Self.state(newValue)
            state.withLock { state in
                new.changeCount = state.changeCount + 1
                swap(&state, &new)
            }
        }
    }

    /// Keeps a newer version in place of the one that was kept, unless another thread was faster.
    private func renew(_ current: State, _ value: Confined) {
        guard let known = current.frozen?.realm?.session.frozen,
            let session = value.realm?.session, !session.isWriting,
            let snapshot = session.snapshot, !known.snapshot.isAtLeast(snapshot)
        else { return }
        var new: Confined? = value.freeze()
        state.withLock { state in
            if state.changeCount == current.changeCount { swap(&state.frozen, &new) }
        }
    }
}
