/// Sequences of changes with key paths in Swift's form; each does what the one with names does.
extension RealmCollection where Element: ObjectBase {
    /// As `changes(keyPaths:)` with names.
    public func changes(
        keyPaths: [PartialKeyPath<Element>]
    ) -> ChangeSequence<RealmCollectionChange<Self>> {
        changes(keyPaths: ObservedPaths.names(keyPaths))
    }
}

extension RealmKeyedCollection where Self: ObservedMap {
    /// As `changes(keyPaths:)` with names.
    public func changes<Model: ObjectBase>(
        keyPaths: [PartialKeyPath<Model>]
    ) -> ChangeSequence<RealmMapChange<Self>> where Value == Model? {
        changes(keyPaths: ObservedPaths.names(keyPaths))
    }
}

extension SectionedResults where SectionElement: ObjectBase {
    /// As `changes(keyPaths:)` with names.
    public func changes(
        keyPaths: [PartialKeyPath<SectionElement>]
    ) -> ChangeSequence<SectionedResultsChange<Self>> {
        changes(keyPaths: ObservedPaths.names(keyPaths))
    }
}

extension ResultsSection where Element: ObjectBase {
    /// As `changes(keyPaths:)` with names.
    public func changes(
        keyPaths: [PartialKeyPath<Element>]
    ) -> ChangeSequence<SectionedResultsChange<Self>> {
        changes(keyPaths: ObservedPaths.names(keyPaths))
    }
}

extension ThreadConfined where Self: ObjectBase {
    /// As `changes(keyPaths:)` with names.
    public func changes(keyPaths: [PartialKeyPath<Self>]) -> ChangeSequence<ObjectChange<Self>> {
        changes(keyPaths: ObservedPaths.names(keyPaths))
    }
}

extension ThreadConfined where Self: ProjectionObservable {
    /// As `changes(keyPaths:)` with names.
    public func changes(keyPaths: [PartialKeyPath<Self>]) -> ChangeSequence<ObjectChange<Self>> {
        ChangeSequence { [self] in observe(keyPaths: keyPaths, $0) }
    }
}
