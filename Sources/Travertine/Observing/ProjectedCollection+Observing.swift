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
        if let queue {
            return observe(on: queue, { $0.observe(block) }, orFail: { block(.error($0)) })
        }
        return observeReports { [self] report in
            switch report {
            case .initial: block(.initial(self))
            case .update(let difference): block(difference.change(of: self))
            }
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
