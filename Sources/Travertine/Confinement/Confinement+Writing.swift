import TravertineStore

/// How the writer gate knows the transactions of a realm (T-L2).
extension Confinement {
    /// What the store's writer gate knows transactions of a realm by; nil for those of a thread.
    var writerPlace: WriterIdentity.Place? {
        switch self {
        case .thread: nil
        case .queue(let queue): .init(ObjectIdentifier(queue.mark)) { queue.isCurrent }
        case .actor(let actor): .init(actor.identity) { actor.isCurrent }
        }
    }
}

extension RealmSession {
    /// What the writer gate knows a transaction by that begins here and now.
    var writer: WriterIdentity { place.writerPlace.map { .at($0) } ?? .current }

    /// Throws while more states of the realm are in use than the configuration allows.
    func checkVersionCount() throws {
        guard let most = configuration.maximumNumberOfActiveVersions else { return }
        let count = shared.store.activeVersionCount
        guard count > most else { return }
        throw Realm.Error(
            .fail,
            "Number of active versions (\(count)) in the Realm exceeded the limit of \(most). Refresh "
                + "or release realms that show old states; `realm.store.statistics` has the age of "
                + "the oldest.", fileURL: shared.fileURL)
    }
}
