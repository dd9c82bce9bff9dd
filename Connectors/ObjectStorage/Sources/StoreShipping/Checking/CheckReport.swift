/// What is wrong with an object of a backup.
public struct CheckFinding: Sendable, Hashable, Codable {
    /// How an object differs from what it must be.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// It is not there.
        case missing
        /// It has another size.
        case wrongSize
        /// It has other content, or content that does not fit to that of others.
        case damaged
        /// What was restored of it is not sound.
        case unsound
    }

    /// What is wrong.
    public var kind: Kind
    /// The key of the object.
    public var key: String
    /// What was found.
    public var message: String
    /// The first point that can't be restored for it.
    public var firstPoint: UInt64
    /// The last point that can't be restored for it; those in between that are kept can't either.
    public var lastPoint: UInt64
}

/// What a check of a backup looked at, and found.
public struct CheckReport: Sendable, Hashable, Codable {
    /// Points that are kept.
    public var pointCount = 0
    /// Those of which everything that was looked at is right.
    public var soundPointCount = 0
    /// Objects that some kept point refers to.
    public var objectCount = 0
    /// The bytes that these have by their keys; without lists.
    public var byteCount: UInt64 = 0
    /// Parts and lists that no kept point refers to: those of pruned points, which are removed
    /// later, and of uploads in progress.
    public var otherObjectCount = 0
    /// The bytes that were read and compared with their checksums.
    public var readByteCount: UInt64 = 0
    /// The LSN of what was restored; nil if nothing was.
    public var restoredLSN: UInt64?
    /// Whether the restored store was verified, and not only its checksums.
    public var isVerified: Bool?
    /// What is wrong.
    public var findings: [CheckFinding] = []
    /// The first point of the newest history with which everything was put again
    /// (`ShipperOptions.putsAgain`); nil if there is none. It and later points need nothing of what
    /// was there before.
    public var repairedFrom: UInt64?
    /// Points before `repairedFrom` that can't be restored. Nothing repairs them.
    public var lostPointCount = 0

    /// Whether nothing is wrong.
    public var isSound: Bool { findings.isEmpty }

    /// Whether something is wrong since everything was put again, or was not put again since.
    public var needsRepair: Bool { findings.contains { needsRepair($0) } }

    /// Whether putting everything again makes the backup whole from then on. Without a manifest
    /// nothing can be shipped there.
    public var canBeRepaired: Bool {
        needsRepair && !findings.contains { $0.key == ObjectName.manifest }
    }

    /// Whether a finding concerns a point since everything was put again.
    public func needsRepair(_ finding: CheckFinding) -> Bool {
        repairedFrom.map { finding.lastPoint >= $0 } ?? true
    }
}

/// How deep a check looks. Each has what the one before has.
public enum CheckDepth: Int, Sendable, Comparable {
    /// Points and lists are read; the other objects are there, with the size in their keys.
    case listed
    /// All objects that a kept point refers to are read, and have their checksums.
    case read

    /// Whether one looks less deep.
    public static func < (left: CheckDepth, right: CheckDepth) -> Bool {
        left.rawValue < right.rawValue
    }
}
