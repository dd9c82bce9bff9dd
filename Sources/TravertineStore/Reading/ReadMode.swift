import SegmentLog

/// How a store reads its files.
public enum ReadMode: Sendable, Hashable {
    /// Values are read in place from mapped files. A media error raises SIGBUS, as with LMDB.
    case mapped
    /// Every read goes through `pread` and every checksum is verified: for media that are not
    /// trusted. A media error is a thrown error.
    case verified
}
