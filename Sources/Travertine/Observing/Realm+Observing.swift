extension Realm {
    /// Calls a block whenever the realm shows another version, until the token is invalidated or let
    /// go of.
    ///
    /// After a commit of this realm the block is called before `commitWrite` or `write` returns,
    /// after those of others when the realm goes on to them: in `refresh()`, in `beginWrite()`, and
    /// by itself where the realm is confined to a queue or an actor.
    public func observe(
        _ block: @escaping (Realm.Notification, Realm) -> Void
    ) -> NotificationToken {
        session.observeChanges(RealmObservation(session, block))
    }
}
