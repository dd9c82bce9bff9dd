import TravertineStore

extension RealmExplorer {
    /// The store, if this process writes it.
    var writableStore: Store? { isWritable ? realm.store : nil }

    /// The statistics of the store if this process writes it; nil if another one does, or none.
    func storeStatistics(
        measuring: Bool
    ) throws -> (statistics: StoreStatistics, measured: SpaceMeasurement?)? {
        guard isWritable else { return nil }
        let store = realm.store
        return (try store.statistics, measuring ? try store.measureSpace() : nil)
    }
}
