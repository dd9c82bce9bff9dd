/// Counting the versions that snapshots keep.
extension Store {
    /// How many versions snapshots show, and the newest, which the next one shows. Costs a look at
    /// each snapshot.
    package var activeVersionCount: Int {
        var versions: Set<UInt64> = [index.publishedVersion]
        for pin in index.pins where pin.note != 0 && pin.version != 0 {
            versions.insert(pin.version)
        }
        return versions.count
    }
}
