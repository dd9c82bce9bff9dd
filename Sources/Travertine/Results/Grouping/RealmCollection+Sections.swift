import TravertineStore

extension RealmCollection where Element: ObjectBase {
    /// The elements in sections with equal values of a property, in the order of the values.
    public func sectioned<Key: _Persistable & Hashable>(
        by keyPath: KeyPath<Element, Key>, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        sectioned(
            by: keyPath,
            sortDescriptors: [
                SortDescriptor(keyPath: keyPath as PartialKeyPath, ascending: ascending)
            ])
    }

    /// The elements in sections with equal values of a property, in the order of the descriptors.
    /// The first of these must be that of the property, so that sections are in one piece.
    public func sectioned<Key: _Persistable & Hashable>(
        by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        let name = KeyPathTracer.requiredName(of: keyPath as PartialKeyPath)
        require(
            sortDescriptors.first?.keyPath == name,
            "The first sort descriptor must be that of the sections, '\(name)', and it is "
                + "\(sortDescriptors.first.map { "that of '\($0.keyPath)'" } ?? "none").")
        return SectionedResults(
            state: SectionedState(
                sorted(by: sortDescriptors),
                .property(path: KeyPathSteps.path(of: name), read: { $0[keyPath: keyPath] })))
    }
}

extension RealmCollection {
    /// The elements in sections for which a block gives equal keys. The elements are in the order
    /// of the descriptors, and the sections in that in which their keys first occur.
    ///
    /// The block is called for each element when the sections are asked for after a change.
    public func sectioned<Key: _Persistable & Hashable>(
        by block: @escaping (Element) -> Key, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        require(
            !sortDescriptors.isEmpty,
            "Sections need a sort descriptor: it says in which order the elements are.")
        return SectionedResults(
            state: SectionedState(sorted(by: sortDescriptors), .block(block)))
    }
}

extension RealmCollection where Element: _HasPersistedType, Element.PersistedType: SortableType {
    /// The values in sections for which a block gives equal keys, in their order.
    public func sectioned<Key: _Persistable & Hashable>(
        by block: @escaping (Element) -> Key, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        SectionedResults(state: SectionedState(sorted(ascending: ascending), .block(block)))
    }
}
