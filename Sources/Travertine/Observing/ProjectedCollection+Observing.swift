import Dispatch

extension ProjectedCollection {
    /// Calls a block with what changes in the collection, until the token is invalidated or let go
    /// of: with the positions of objects that come and go, and of those whose projected property
    /// changes.
    ///
    /// As for lists (`observe`).
    public func observe(
        on queue: DispatchQueue? = nil, _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        beginObserving(on: queue, block) { collection in
            collection.observeReports { block($0.change(of: collection)) }
        }
    }
}

/// Values that belong to the elements of a collection.
protocol ProjectedElements {
    var elementNames: [String] { get }
}

extension ProjectedCollection: ProjectedElements {
    var elementNames: [String] { names() }
}
