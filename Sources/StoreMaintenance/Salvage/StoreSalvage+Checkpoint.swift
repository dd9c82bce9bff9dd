import OrderedIndex
import SegmentLog
import TravertineStore

/// Which keys had their newest version in a place that is gone: the checkpoint knows, if one opens.
///
/// The log alone can't name what is missing in it. A checkpoint has the place of every key's newest
/// version as of its LSN. If what was kept of a key is there, or after it in the log, that version
/// was found, or one that replaced it. If it is before it, or nothing was kept, it is lost.
extension StoreSalvage {
    /// Names such keys in the report, those that have a damaged record left excepted.
    mutating func noteVersionsInLostPlaces(
        _ directory: String?, _ plan: SalvagePlan, _ index: SalvageIndex,
        named: Set<LostKey>
    ) {
        if let directory, let identity = plan.identity {
            for entry in evidence.checkpoints(of: identity) {
                guard let lost = lostVersions(entry, identity, directory, plan, index, named)
                else { continue }
                report.namedByCheckpointLSN = entry.lsn.rawValue
                report.lostVersionCount += lost.count
                let room = SalvageReport.listCountMax - report.lostVersions.count
                report.lostVersions += lost.first.prefix(max(0, room))
                return
            }
        }
        if report.gaps.isEmpty { return }
        report.notes.append(
            "No checkpoint could be read: which keys had their newest version in what is missing is "
                + "not known.")
    }

    /// Walks a checkpoint; nil if a part of it can't be believed.
    private func lostVersions(
        _ entry: Manifest.CheckpointEntry, _ identity: StoreIdentity, _ directory: String,
        _ plan: SalvagePlan, _ kept: SalvageIndex, _ named: Set<LostKey>
    ) -> (first: [SalvageReport.LostVersion], count: Int)? {
        let opened = PageFileReader.open(
            entry, directory: directory, identity: identity, fileSystem: fileSystem)
        guard case .success(let pages) = opened else { return nil }
        var found: (first: [SalvageReport.LostVersion], count: Int) = ([], 0)
        do {
            let index = Index()
            let attached = try pages.attach(to: index, readMode: .verified)
            defer { withExtendedLifetime(attached) {} }
            index.install(
                trees: pages.descriptor.trees, version: pages.descriptor.version,
                tag: entry.lsn.rawValue)
            let pin = index.pin(note: 0)
            defer { index.unpin(pin) }
            for keyspace in KeyspaceID.ofTrees(1..<max(1, pin.root.pointee.treeCount)) {
                let tree = pin.root.pointee.trees[keyspace.treeNumber]
                if tree.flags & (TreeFlags.derived | TreeFlags.dropped) != 0 { continue }
                var cursor = index.reader.makeCursor(over: tree)
                var isValid = try cursor.seekToFirst()
                while isValid {
                    let key = cursor.withKey { Array($0) }
                    let location = Location(rawValue: cursor.value)
                    let version = try kept.entry(forKey: key, in: keyspace)
                    if isLost(location, version, plan, kept),
                        !named.contains(LostKey(keyspace: keyspace, key: key))
                    {
                        found.count += 1
                        if found.first.count < SalvageReport.listCountMax {
                            found.first.append(
                                SalvageReport.LostVersion(
                                    keyspace: keyspace.rawValue, key: key,
                                    file: directory + "/" + location.segment.fileName,
                                    offset: location.recordOffset, lsn: nil,
                                    keptLSN: version?.lsn))
                        }
                    }
                    isValid = try cursor.next()
                }
            }
        } catch {
            return nil
        }
        return found
    }

    private func isLost(
        _ location: Location, _ kept: SalvageIndex.Entry?, _ plan: SalvagePlan,
        _ index: SalvageIndex
    ) -> Bool {
        guard let kept else { return true }
        let salt = index.contexts[Int(kept.context)].salt
        // Of a segment whose header and successor are gone no order is known.
        guard let number = plan.segments[salt]?.number else { return false }
        let offset = Int(truncatingIfNeeded: kept.tie & 0xffff_ffff)
        return (number.rawValue, offset) < (location.segment.rawValue, location.offset)
    }
}

/// A key of a keyspace.
struct LostKey: Hashable {
    var keyspace: KeyspaceID
    var key: [UInt8]
}
