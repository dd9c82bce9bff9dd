/// Why a store could not be shipped, or a point not restored.
///
/// What the storage service is to blame for is a `StorageFailure`, what the store is a
/// `StoreError`.
public enum ShippingError: Error, Hashable, Sendable {
    /// Another shipper holds the backup. In so many seconds it counts as dead, if it does not go
    /// on.
    case held(by: String, secondsSinceManifest: Int64, secondsLeft: Int64)
    /// Another shipper has taken the backup over while this one was running.
    case takenOver(by: String)
    /// The backup has points of another store.
    case otherStore(found: String, expected: String)
    /// The store is not what the newest point was made of, which another machine put, or one that
    /// is not known: a copy, a restored store, or one that was put back.
    case otherMachine(String?)
    /// The newest point is of a store at this path of this machine, which is there still: this one
    /// is a copy of it, or the other way round.
    case copy(of: String)
    /// The time of day is so much after that of the newest sign of life, or of this program's own
    /// clock at its start: nothing is pruned by it.
    case clockAhead(hours: Int64, isOwn: Bool)
    /// There is no backup at this place.
    case noBackup
    /// The object `manifest` there is not one of a backup.
    case notABackup
    /// There are points, and no object `manifest`: somebody deleted it.
    case manifestDeleted
    /// The backup was written by a newer version.
    case newerFormat(version: Int)
    /// The backup has no point yet, or none that was asked for.
    case noSuchPoint(String)
    /// A commit between two points can't be restored: compaction has removed the log after
    /// `reach` before the later point was taken.
    case commitNotKept(lsn: UInt64, reach: UInt64, nextPoint: PointSummary)
    /// A commit between two points of an encrypted store was asked for without the key.
    case keyNeeded(lsn: UInt64, point: PointSummary, nextPoint: PointSummary)
    /// An object is not what the point says.
    case damaged(key: String, String)
    /// An object of a point is not there.
    case missing(key: String, point: UInt64)
    /// What was restored is not sound.
    case unsound([String])
}

extension ShippingError: CustomStringConvertible {
    /// What happened, and what to do next.
    public var description: String {
        switch self {
        case .held(let holder, let age, let left):
            "Another shipper, \(holder), has this backup, and wrote there \(age) s ago. Only one may "
                + "write. End it; or wait, for \(left) s from now on without a sign of life it counts as "
                + "dead; or take the backup over with --take-over, and the other one will stop."
        case .takenOver(let holder):
            "Another shipper, \(holder), has taken this backup over. This one stops: no point is lost, "
                + "and the other one goes on."
        case .otherStore(let found, let expected):
            "The backup has points of the store \(found), and this is the store \(expected). After a "
                + "change of the key a store has another UUID. Choose another prefix; or go on here with "
                + "--new: the old points can still be restored."
        case .otherMachine(let holder):
            "The store was copied, restored or put back to an older state, and the newest point of "
                + "the backup was put by "
                + "\(holder ?? "a program that is not known"), which is not known to have run on this "
                + "machine. If this is a copy of a store that is still shipped from there, choose "
                + "another prefix. If this machine takes the place of that one, ship here with --new "
                + "once: a history begins, and the old points can still be restored."
        case .copy(let path):
            "The newest point of the backup is of the store at \(path) on this machine, and a store is "
                + "there still, so this one is a copy, or a restored store beside it. Each of them needs "
                + "a prefix for itself: choose another one for this store. Or, if it takes the place of "
                + "that one, remove that one, or ship here with --new once: the old points can still be "
                + "restored."
        case .clockAhead(let hours, let isOwn):
            "The clock of this machine is \(hours) hours ahead of "
                + (isOwn
                    ? "where it was when this program began" : "the shipper's newest sign of life")
                + ", so the age of points is not certain, and none is removed. "
                + (isOwn
                    ? "Set it right; or, if it is right now, start this program again."
                    : "Set it right; or, if that shipper is dead, ship with --once, and prune then.")
        case .noBackup: "There is no backup at this place. Check the prefix."
        case .notABackup:
            "There is an object “manifest” at this place which is not that of a backup, or is damaged. "
                + "To ship, choose another prefix; points of a backup before it can be restored."
        case .manifestDeleted:
            "There are points of a backup at this place, and the object “manifest” is missing: it was "
                + "deleted, though no part of this program does that. All points but the newest can be "
                + "restored. To ship, put it back, if the bucket keeps versions; or choose another "
                + "prefix."
        case .newerFormat(let version):
            "The backup has format version \(version), and this program knows "
                + "\(ShippingManifest.newestVersion). Use a newer one."
        case .noSuchPoint(let reason): reason
        case .commitNotKept(let lsn, let reach, let next):
            "The commit with LSN \(lsn) can't be restored: compaction removed the log after LSN "
                + "\(reach) before point \(next.number) was taken, and no point in between is kept. "
                + "Commits up to LSN \(reach) can be restored, and then the one with LSN \(next.lsn): "
                + "--at \(next.history):\(reach) and --at \(next.history):\(next.lsn)."
        case .keyNeeded(let lsn, let point, let next):
            "LSN \(lsn) lies between point \(point.number), LSN \(point.lsn), and point "
                + "\(next.number), LSN \(next.lsn). To end the log there it must be read, and the "
                + "store is encrypted: give its key with --key-file. Without it points can be restored."
        case .damaged(let key, let reason):
            "The object “\(key)” of the backup is damaged: \(reason). Choose another point."
        case .missing(let key, let point):
            "Point \(point) can't be restored: its object “\(key)” is not there: deleted by hand, or "
                + "pruned in the meantime. Choose another point; `travertine-ship check` says which are "
                + "whole, and `ship --put-again` puts everything anew."
        case .unsound(let findings):
            "What was restored is damaged, and was not given its name: "
                + findings.prefix(3).joined(separator: " ")
        }
    }
}

extension ShippingError {
    /// Whether the store is not that of the backup, which its own shipper may go on with.
    var isOfAnotherStore: Bool {
        switch self {
        case .otherStore, .otherMachine, .copy: true
        default: false
        }
    }
}
