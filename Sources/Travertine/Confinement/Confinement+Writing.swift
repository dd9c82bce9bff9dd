import TravertineStore

extension Confinement {
    /// Who the store's writer gate knows transactions of a realm by.
    var writer: WriterIdentity {
        switch self {
        case .thread: .current
        case .queue(let queue):
            .at(.init(ObjectIdentifier(queue.mark)) { queue.isCurrent })
        case .actor(let actor):
            .at(.init(actor.identity) { actor.isCurrent })
        }
    }
}

extension RealmSession {
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
