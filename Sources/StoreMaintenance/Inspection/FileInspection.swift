import TravertineStore

/// A file of a store in readable form: what `travertine inspect` shows.
///
/// Everything is shown as it stands, whether its checksum matches or not.
public struct FileInspection: Sendable, Codable, Equatable {
    /// What a file is, by its first bytes.
    public enum Kind: String, Sendable, Codable {
        /// A segment of the log.
        case segment
        /// A page file: the index pages of a checkpoint.
        case pageFile
        /// A manifest.
        case manifest
        /// The hashes of a segment's keys.
        case keyHashes
        /// The list of a backup's files.
        case backup
        /// Something else.
        case other
    }

    /// One field of a structure.
    public struct Field: Sendable, Codable, Equatable {
        /// Its first byte, from the start of the file.
        public var offset: Int
        /// Its width in bytes.
        public var byteCount: Int
        /// What it is.
        public var name: String
        /// Its value, in words where it has a meaning.
        public var value: String
    }

    /// A structure in the file: a header, a batch, a record, a page.
    public struct Part: Sendable, Codable, Equatable {
        /// What it is.
        public var title: String
        /// Its first byte, from the start of the file.
        public var offset: Int
        /// Its length.
        public var byteCount: Int
        /// What is wrong with it; nil if its checksum matches.
        public var problem: String?
        /// Its fields; empty in an overview.
        public var fields: [Field] = []
        /// Its bytes, at most `bytesMax` of them; empty in an overview.
        public var bytes: [UInt8] = []
    }

    /// A structure shows at most so many of its bytes.
    public static let bytesMax = 4096

    /// The file.
    public var path: String
    /// Its size.
    public var byteCount: Int
    /// What it is.
    public var kind: Kind
    /// Its structures, in the order of their offsets.
    public var parts: [Part] = []
    /// How many more there are than were asked for.
    public var omittedPartCount = 0

    /// Which structures are shown.
    public enum Selection: Sendable, Equatable {
        /// Headers in full, and one line for each batch, at most so many.
        case overview(limit: Int)
        /// The structure at an offset in full: the record, batch or page that the byte belongs to.
        case offset(Int)
        /// The batch with an LSN in full, with its records.
        case lsn(UInt64)
    }
}
