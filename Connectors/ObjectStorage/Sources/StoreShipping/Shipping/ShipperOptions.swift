import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How a shipper works, and where it takes time and randomness from.
public struct ShipperOptions: Sendable {
    /// The time between two points, if something was committed.
    public var interval = Duration.seconds(1)
    /// Takes the backup from another shipper, even if that one lives.
    public var takesOver = false
    /// Goes on with another store than the one whose points are there, or with one that was copied
    /// or restored to another machine, or to another path beside the one that is there still.
    public var beginsNew = false
    /// Whether the first point takes over nothing of the one before, as after damage of the backup.
    public var putsAgain = false
    /// The key of an encrypted store.
    public var encryptionKey: EncryptionKey?
    /// Which points are kept; nil to remove none.
    public var retention: RetentionRules? = RetentionRules()
    /// The time between two times of pruning.
    public var pruningInterval = Duration.seconds(3600)
    /// The manifest is put at least so often, as a sign of life.
    public var heartbeatInterval = Duration.seconds(60)
    /// During an upload it is looked so often whether one is due. Real time, since it concerns the
    /// network.
    public var heartbeatCheck = Duration.seconds(5)
    /// Without a sign of life for so long a shipper counts as dead.
    public var leaseDuration = Duration.seconds(150)
    /// Parts that are put at the same time, each of up to 8 MiB in memory.
    public var putCountMax = 4
    /// Files of an image that are opened at the same time. If more have something new, the store
    /// removes no file until they are put.
    public var openFileCountMax = 64
    /// How long errors of the store are tried again before they end the shipper.
    public var storePatience = Duration.seconds(60)
    /// The name of this machine.
    public var host = MachineName.current
    /// What the start of the machine is recognised by; nil where it is not known.
    public var boot = MachineIdentity.boot
    /// What the machine is recognised by after another start; nil where it is not known.
    public var machine = MachineIdentity.machine
    /// The number of this process.
    public var process = ProcessInfo.processInfo.processIdentifier
    /// Whether a process of this machine lives.
    public var isProcessAlive: @Sendable (Int32) -> Bool = { _ in true }
    /// Opens the store at a path: tests have it on another disk.
    public var openSource: @Sendable (String, EncryptionKey?) throws -> BackupSource = {
        try BackupSource(of: $0, encryptionKey: $1)
    }
    /// Milliseconds since 1970.
    public var now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1000) }
    /// How much time has passed since some moment, whatever the time of day is set to.
    public var uptime: @Sendable () -> Duration = { [start = ContinuousClock.now] in
        start.duration(to: .now)
    }
    /// Waits.
    public var sleep: @Sendable (Duration) async throws -> Void = {
        try await Task.sleep(for: $0)
    }
    /// 64 random bits.
    public var random: @Sendable () -> UInt64 = { .random(in: 0...(.max)) }

    /// The default options.
    public init() {}
}

extension Duration {
    /// Whole milliseconds.
    var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
