/// A piece of a file that is imported, in the order of the file.
struct UploadRequest: Decodable, Sendable {
    var type: String
    /// Chosen by the page for a file, another for each time it is sent.
    var file: String
    /// The bytes before the piece, so that none is missing and none comes twice.
    var offset: Int
    var text: String
    /// Whether the file ends with it.
    var isLast: Bool
}

/// Files that are collected in memory, each to be imported as a whole.
///
/// A page may be closed in the middle of a file. So one of which no piece comes for a while is let
/// go of, and where there are too many, or too many bytes, the one whose last piece is the oldest.
struct Uploads {
    /// A file.
    struct Upload {
        let file: String
        let type: String
        fileprivate(set) var bytes: [UInt8] = []
        /// When the last piece came.
        fileprivate var time: ContinuousClock.Instant
    }

    /// By their last pieces, the oldest first.
    private var uploads: [Upload] = []
    /// Files that were let go of, the last one at the end, and why.
    private var released: [(file: String, reason: String)] = []

    /// Files that are collected at the same time.
    static let uploadCount = 4
    /// The bytes of one, and of all together.
    static let byteCount = 64 << 20
    /// How long a piece is waited for.
    static let timeLimit = Duration.seconds(120)
    private static let releasedCount = 32

    /// The bytes that are collected.
    var byteCount: Int { uploads.reduce(0) { $0 + $1.bytes.count } }

    /// Takes a piece.
    ///
    /// - Returns: how many bytes of the file are there, and the file after its last piece.
    /// - Throws: `RequestFailure` for a piece of a file that was let go of, and for one that does
    ///   not follow the last one.
    mutating func take(
        _ piece: UploadRequest, at now: ContinuousClock.Instant
    ) throws(RequestFailure) -> (received: Int, whole: Upload?) {
        releaseAbandoned(at: now)
        var upload = try remove(piece, at: now)
        guard upload.bytes.count + piece.text.utf8.count <= Self.byteCount else {
            throw RequestFailure(
                413,
                "A file may have \(Self.byteCount >> 20) MiB here. Import a larger one with "
                    + "“travertine import”.")
        }
        upload.bytes += piece.text.utf8
        upload.time = now
        let received = upload.bytes.count
        if piece.isLast { return (received, upload) }
        makeRoom(for: received)
        uploads.append(upload)
        return (received, nil)
    }

    /// Lets go of files whose next piece does not come.
    mutating func releaseAbandoned(at now: ContinuousClock.Instant) {
        while let oldest = uploads.first, now - oldest.time >= Self.timeLimit {
            releaseOldest(
                "no piece of it came for \(Self.timeLimit.components.seconds) seconds")
        }
    }

    /// Takes the file of a piece out of the list, so that its bytes are changed where they are.
    private mutating func remove(
        _ piece: UploadRequest, at now: ContinuousClock.Instant
    ) throws(RequestFailure) -> Upload {
        let place = uploads.firstIndex { $0.file == piece.file && $0.type == piece.type }
        let known = place.map { uploads.remove(at: $0) }
        if piece.offset == 0 { return Upload(file: piece.file, type: piece.type, time: now) }
        if let known, known.bytes.count == piece.offset { return known }
        let reason = released.last { $0.file == piece.file }?.reason ?? "a piece of it is missing"
        throw RequestFailure(409, "The file was not kept: \(reason). Import it again.")
    }

    private mutating func makeRoom(for byteCount: Int) {
        while uploads.count >= Self.uploadCount || self.byteCount + byteCount > Self.byteCount {
            guard !uploads.isEmpty else { return }
            releaseOldest("other files were sent in the meantime, and needed the room")
        }
    }

    private mutating func releaseOldest(_ reason: String) {
        released.append((uploads.removeFirst().file, reason))
        if released.count > Self.releasedCount { released.removeFirst() }
    }
}
