/// One conditional put, with what it takes to find out whether it took place.
///
/// An attempt whose answer is lost may have taken place. The next one then fails its condition
/// because of the first, which is not a failure. Therefore each put stores two items of metadata:
///
/// - `travertine-put`: the *mark*, random, the same for all attempts of one put, and
/// - `travertine-base`: the *base*, the condition that it was made under: `*` or an entity tag.
///
/// After a rejection, or when no attempt is left, HEAD decides:
///
/// 1. The object has our mark: the put took place.
/// 2. It has our base and another mark: another put took place in the one state that ours was for,
///    so that ours did not, and cannot any more.
/// 3. Otherwise, if every attempt was answered with a rejection: the put did not take place.
/// 4. Otherwise the put took place and was replaced since, or did not take place, or is still on
///    its way, or HEAD is not up to date. HEAD is asked again a few times, then the outcome is
///    reported as unknown.
///
/// Rule 2 holds as long as a state does not recur: nobody deletes the object, and no two states
/// have the same content and so the same entity tag.
struct ConditionalPut {
    static let reservedPrefix = "travertine-"
    private static let markName = "travertine-put"
    private static let baseName = "travertine-base"

    private let store: ObjectStore
    private let request: StorageRequest
    private let key: String
    private let condition: PutCondition
    private let mark: String

    init(
        _ store: ObjectStore, _ request: StorageRequest, key: String, condition: PutCondition
    ) {
        self.store = store
        self.key = key
        self.condition = condition
        mark = (0..<2).map { _ in Hexadecimal.encode(store.options.randomNumber()) }.joined()
        var request = request
        if let header = condition.header { request.headers.append(header) }
        let prefix = ObjectAttributes.metadataPrefix
        request.headers.append((prefix + Self.markName, mark))
        request.headers.append((prefix + Self.baseName, condition.base ?? ""))
        self.request = request
    }

    func run() async throws -> EntityTag {
        var attempts = Attempts(store.options)
        // Whether an attempt may have taken place unnoticed.
        var isOpen = false
        while true {
            do {
                return try await store.put(request, key: key, within: attempts.remaining)
            } catch let error as ObjectStorageError {
                if isRejection(error) {
                    return try await resolve(isRejected: true, isOpen: isOpen, after: error)
                }
                isOpen = isOpen || error.leavesOutcomeOpen
                do {
                    try await attempts.pause(after: error)
                } catch is ObjectStorageError {
                    guard isOpen else { throw error }
                    return try await resolve(isRejected: false, isOpen: true, after: error)
                }
            }
        }
    }

    /// The service answers with "not found" where there is nothing to match.
    private func isRejection(_ error: ObjectStorageError) -> Bool {
        switch error {
        case .conditionFailed: true
        case .notFound: condition != .ifAbsent
        default: false
        }
    }

    // MARK: Finding out

    private enum Observation {
        case ours(ObjectAttributes)
        case sameBase
        case other(EntityTag)
        case absent
        case unavailable
    }

    private func resolve(
        isRejected: Bool, isOpen: Bool, after cause: ObjectStorageError
    ) async throws -> EntityTag {
        let isCertain = isRejected && !isOpen
        let undecided: ObjectStorageError =
            isCertain
            ? .conditionFailed(key: key)
            : .outcomeUnknown(key: key, reason: cause.description)
        var attempts = Attempts(store.options)
        while true {
            var observation = Observation.unavailable
            do {
                observation = try await observe(within: attempts.remaining)
            } catch let error as ObjectStorageError {
                guard error.isTransient else { throw undecided }
            }
            switch observation {
            case .ours(let attributes):
                try check(attributes)
                return attributes.entityTag
            case .sameBase: throw ObjectStorageError.conditionFailed(key: key)
            case .absent, .other:
                if isCertain, !isStateBefore(observation) { throw undecided }
            case .unavailable: break
            }
            try await attempts.pause(afterTransient: undecided)
        }
    }

    private func observe(within remaining: Duration) async throws -> Observation {
        do {
            let attributes = try await store.head(key, within: remaining)
            if attributes.metadata[Self.markName] == mark { return .ours(attributes) }
            if attributes.metadata[Self.baseName] == condition.base { return .sameBase }
            return .other(attributes.entityTag)
        } catch ObjectStorageError.notFound {
            return .absent
        }
    }

    /// Whether the condition would hold for what was observed, which contradicts a rejection: the
    /// answer to HEAD is not up to date, or the state has changed once more.
    private func isStateBefore(_ observation: Observation) -> Bool {
        switch (condition, observation) {
        case (.ifAbsent, .absent): true
        case (.ifMatch(let tag), .other(let observed)): tag == observed
        default: false
        }
    }

    private func check(_ attributes: ObjectAttributes) throws {
        let sent = request.payload
        let stored = attributes.checksumSHA256 ?? sent.checksum.base64
        guard attributes.byteCount == sent.byteCount, stored == sent.checksum.base64 else {
            throw ObjectStorageError.checksumMismatch(
                "'\(key)' was stored, but not with the content that was sent")
        }
    }
}
