import TravertineStore

/// Ships a store: puts points of it, from which it can be restored, while it is written.
///
/// States, with the function at each arrow:
///
///     free --acquire--> held --round--> held --end--> ended
///                         |  ^
///                         |  +--heartbeat, resolve-- held
///                         +--resolve--> lost (another shipper holds the backup)
///
/// A round (`round`):
///
///     idle --BackupSource.take--> image --checkContinuity--> plan --putParts, putLists, archive-->
///     complete --replaceManifest--> shipped
///
/// Whatever interrupts a round, the manifest names the point before, or the new one, whole (U2).
/// What an interrupted round has put is found by its number, and is not put again (U5).
public actor Shipper {
    let path: String
    let storage: any BackupStorage
    let options: ShipperOptions
    let report: @Sendable (ShippingEvent) -> Void
    let identity: ShipperIdentity

    /// The manifest that this shipper put last, or is known to be the same; nil before `acquire`.
    var held: HeldManifest?
    /// Manifests whose puts had no certain outcome, by their nonces, since `held`.
    var unresolved: [HexadecimalNumber: UnresolvedPut] = [:]
    /// What the newest point says of files; nil until it was read.
    var known: ShippedState?
    /// Keys of parts and lists of the next point that are stored; nil until they were listed.
    var stored: Set<String>?
    /// Whether the newest point is in `points` as well.
    var archived: UInt64 = 0
    /// Whether the parts that both have were compared since the store was opened.
    var isContinuityCertain = false
    var source: BackupSource?
    /// Whether the source has shown something that no point has, because a round failed.
    private var hasUnshipped = true
    /// When points were last removed, or not, by `uptime`.
    var lastPruning: Duration?
    /// What the time of day was ahead of `uptime` when it was first believed.
    var clockOffset: Int64?
    /// What the manifest said of the time before this shipper's first one; nil if there was none.
    var earlierTime: EarlierTime?
    /// Whether it was reported that the clock may be wrong.
    var hasDoubtedClock = false
    /// When the manifest was put last, by `uptime`.
    var lastManifest = Duration.zero
    /// What removes points at the moment; nil if nothing does.
    var pruning: Task<Void, Never>?
    /// Parts that are put at the same time: one after a round that failed, since on a slow
    /// connection several may all take too long.
    var putCount: Int
    /// Whether it has put a point.
    var hasShipped = false
    /// Whether a round has succeeded.
    var isContinuing = false

    struct HeldManifest {
        var manifest: ShippingManifest
        var tag: StorageTag
    }

    struct EarlierTime {
        /// When the manifest was put, in milliseconds since 1970 by the clock of its shipper.
        var milliseconds: Int64
        /// When it was read, by `uptime`.
        var uptime: Duration
    }

    struct UnresolvedPut {
        var manifest: ShippingManifest
        /// What is known of files once it is the newest manifest; nil for a sign of life.
        var known: ShippedState?
        /// When it was made, by `uptime`.
        var uptime: Duration
    }

    /// Prepares a shipper; nothing is read or written.
    ///
    /// - Parameters:
    ///   - path: The directory of the store.
    ///   - storage: Where the backup is, or will be.
    ///   - report: Called with what happens, one call after the other.
    public init(
        of path: String, to storage: any BackupStorage, options: ShipperOptions = ShipperOptions(),
        report: @escaping @Sendable (ShippingEvent) -> Void = { _ in }
    ) {
        self.path = path
        self.storage = storage
        self.options = options
        self.report = report
        putCount = options.putCountMax
        identity = ShipperIdentity(
            id: HexadecimalNumber(options.random()), host: options.host, boot: options.boot,
            machine: options.machine, process: options.process,
            sinceMilliseconds: options.now(), directory: StoreDirectory(path).path)
    }

    /// Puts a point if something was committed since the last one; nil if nothing was.
    ///
    /// Acquires the backup if it is not held. Costs two requests, one for each 8 MiB of what is
    /// new, and now and then a list.
    ///
    /// - Throws: `ShippingError`, `StorageFailure`, `StoreError`; `CancellationError`. After
    ///   `StorageFailure.unavailable` and most of `StoreError` it may be called again.
    @discardableResult
    public func round() async throws -> ShippedRound? {
        // First: where there is no store, nothing is put.
        let source = try openSource()
        if held == nil { try await acquire() }
        if !unresolved.isEmpty { try await resolve() }
        let started = options.now()
        do {
            guard try hasUnshipped || source.hasNews() else {
                try await heartbeat()
                return nil
            }
            hasUnshipped = true
            let taken = try await takeImage()
            let round = try await ship(taken, at: started)
            try taken.source.release()
            hasUnshipped = false
            return round
        } catch let error as StoreError {
            // The store may have been replaced: look for it anew.
            closeSource()
            throw error
        } catch let error as ShippingError where error.isOfAnotherStore {
            // It is for others to go on with the backup.
            try? await end()
            throw error
        } catch {
            try self.source?.release()
            throw error
        }
    }

    /// Gives the backup back, so that another shipper may take it at once. Does nothing if it is
    /// not held.
    public func end() async throws {
        closeSource()
        guard held != nil else { return }
        if !unresolved.isEmpty { try await resolve() }
        try await replaceManifest { $0.isHeld = false }
        held = nil
    }

    func openSource() throws -> BackupSource {
        if let source { return source }
        let opened = try options.openSource(path, options.encryptionKey)
        source = opened
        hasUnshipped = true
        return opened
    }

    /// An image that is held, with what it is to the newest point.
    struct TakenImage {
        var source: BackupSource
        var image: BackupImage
        var continuity: Continuity
        /// When it had been taken, in milliseconds since 1970.
        var time: Int64
    }

    /// Takes an image; one with which a history begins after the store was opened for it.
    private func takeImage() async throws -> TakenImage {
        let taken = try await takeNextImage()
        guard case .begins = taken.continuity, !taken.image.isOpenedAnew,
            held?.manifest.point != nil
        else { return taken }
        // The log that was read on may be that of files which are not there any more.
        closeSource()
        return try await takeNextImage()
    }

    private func takeNextImage() async throws -> TakenImage {
        let source = try openSource()
        let image = try source.take()
        let time = options.now()
        if image.isOpenedAnew { isContinuityCertain = false }
        return TakenImage(
            source: source, image: image,
            continuity: try await continuity(of: image, from: source), time: time)
    }

    func closeSource() {
        source?.close()
        source = nil
        isContinuityCertain = false
    }
}
