import Dispatch
import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the block of observed sections is notified of.
public enum SectionedResultsChange<CollectionType> {
    /// The observation has begun; the sections show their first state.
    case initial(CollectionType)
    /// The sections differ from what was reported before.
    ///
    /// Deletions and modifications are places as of before, insertions places as of now, and so are
    /// the sections; all ascending. The elements of deleted and inserted sections are not listed.
    case update(
        CollectionType, deletions: [IndexPath], insertions: [IndexPath],
        modifications: [IndexPath], sectionsToInsert: [Int], sectionsToDelete: [Int])
}

extension RealmSectionedResult {
    /// Calls a block with what changes in the sections, or in one of them, until the token is
    /// invalidated or let go of.
    ///
    /// As for results (`observe`), with places in sections instead of positions. The first number
    /// of each place is the section's among all, also where one section is observed. Costs a pass
    /// over all elements after each commit that changes one of their types. On a queue or an actor
    /// where the realm can't be opened the block is not called: the error is logged.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        beginObserving(on: queue, block) { $0.observeHere(keyPaths, block) }
    }

    /// As `observe(keyPaths:_:)`, on an actor.
    public func observe<Observer: Actor>(
        keyPaths: [String]? = nil, on actor: Observer,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated Observer, SectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken {
        await beginObserving(on: actor, block) { $0.observeHere(keyPaths, $1) }
    }

    private func observeHere(
        _ names: [String]?, _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        guard let sections = self as? any ObservedSections else {
            misuse("Only the sections of results can be observed, and \(Self.self) has none.")
        }
        return sections.observeReports(names) { block($0.change(of: self)) }
    }
}

/// Sections that can be observed.
private protocol ObservedSections {
    func observeReports(
        _ names: [String]?, _ block: @escaping (SectionsReport) -> Void
    ) -> NotificationToken
}

extension SectionedResults: ObservedSections {
    /// As `observe(keyPaths:_:)` with names.
    public func observe(
        keyPaths: [PartialKeyPath<SectionElement>], on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken where SectionElement: ObjectBase {
        observe(keyPaths: ObservedPaths.names(keyPaths), on: queue, block)
    }

    fileprivate func observeReports(
        _ names: [String]?, _ block: @escaping (SectionsReport) -> Void
    ) -> NotificationToken {
        state.observe(names, only: nil, block)
    }

    /// As `observe(keyPaths:on:_:)` with names.
    public func observe<Observer: Actor>(
        keyPaths: [PartialKeyPath<SectionElement>], on actor: Observer,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated Observer, SectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken where SectionElement: ObjectBase {
        await observe(keyPaths: ObservedPaths.names(keyPaths), on: actor, block)
    }
}

extension ResultsSection: ObservedSections {
    /// As `observe(keyPaths:_:)` with names.
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken where Element: ObjectBase {
        observe(keyPaths: ObservedPaths.names(keyPaths), on: queue, block)
    }

    fileprivate func observeReports(
        _ names: [String]?, _ block: @escaping (SectionsReport) -> Void
    ) -> NotificationToken {
        state.observe(names, only: key, block)
    }

    /// As `observe(keyPaths:on:_:)` with names.
    public func observe<Observer: Actor>(
        keyPaths: [PartialKeyPath<Element>], on actor: Observer,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated Observer, SectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken where Element: ObjectBase {
        await observe(keyPaths: ObservedPaths.names(keyPaths), on: actor, block)
    }
}

extension SectionedState {
    fileprivate func observe(
        _ names: [String]?, only key: Key?, _ block: @escaping (SectionsReport) -> Void
    ) -> NotificationToken {
        let state = results.state
        state.session.checkThread()
        state.takeTable()
        let names = names ?? Element.observedNames
        let paths =
            state.source?.element == nil
            ? ObservedPaths.paths(names, of: state.table) : ObservedPaths.paths(names)
        return state.session.observe(
            SectionsObservation(self, only: key, keyPaths: paths, block))
    }
}

extension SectionedResultsChange: ObservedChange {
    /// Sections have no change that is an error: it is logged.
    static func report(_ error: any Error, to block: (Self) -> Void) {
        Logger.log(
            .error, "Sections can't be observed, as their realm could not be opened: \(error)")
    }
}

extension SectionsReport {
    fileprivate func change<Sections>(of sections: Sections) -> SectionedResultsChange<Sections> {
        switch self {
        case .initial: return .initial(sections)
        case .update(let difference):
            func paths(_ places: [SectionsDifference.Place]) -> [IndexPath] {
                places.map { [$0.section, $0.item] }
            }
            return .update(
                sections, deletions: paths(difference.deletions),
                insertions: paths(difference.insertions),
                modifications: paths(difference.modifications),
                sectionsToInsert: difference.insertedSections,
                sectionsToDelete: difference.deletedSections)
        }
    }
}
