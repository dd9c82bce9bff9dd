extension Realm {
    /// Whether an observed realm on a queue or actor shows newer versions by itself; true unless it
    /// is set. Otherwise its blocks are notified with `.refreshRequired`, and `refresh()` shows
    /// them.
    ///
    /// Once it is set to true again, what was committed in the meantime is shown and reported soon.
    /// A realm on a thread never does; neither does one of which nothing is observed. Setting it
    /// needs the thread, queue or actor of the realm.
    public var autorefresh: Bool {
        get { !session.isFrozen && session.observations.refreshesItself }
        nonmutating set {
            session.requireLive()
            session.checkThread()
            session.observations.refreshesItself = newValue
            if newValue { session.wakeObservers() }
        }
    }

    /// Calls a block whenever the realm shows another version, until the token is invalidated or
    /// let go of.
    ///
    /// After a commit of this realm the block is called before `commitWrite` or `write` returns,
    /// after those of others when the realm goes on to them: in `refresh()`, in `beginWrite()`, and
    /// by itself where the realm is confined to a queue or an actor.
    public func observe(_ block: @escaping NotificationBlock) -> NotificationToken {
        session.observeChanges(RealmObservation(session, block))
    }
}
