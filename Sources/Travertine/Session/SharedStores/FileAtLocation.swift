#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file where the directory of a realm should be.
enum FileAtLocation: Equatable {
    /// A database of Realm, which keeps one in a single file.
    case realm
    case text
    case other

    /// Nil if there is no regular file, or none that can be read.
    init?(_ url: URL) {
        let descriptor = open(url.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        var start = [UInt8](repeating: 0, count: 512)
        let count = start.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else { return nil }
        self.init(start: start.prefix(count))
    }

    /// The header of Realm's format is 24 bytes, the 16th to 19th of which are `T-DB`.
    private init(start: ArraySlice<UInt8>) {
        if start.count >= 24, Array(start[16..<20]) == Array("T-DB".utf8) {
            self = .realm
            return
        }
        // A character that the read bytes end in the middle of is no reason to doubt the others.
        let text = String(decoding: start, as: UTF8.self).unicodeScalars.dropLast(3)
        let isText = text.allSatisfy { scalar in
            scalar != "\u{FFFD}"
                && (scalar.value >= 0x20 || "\t\n\r".unicodeScalars.contains(scalar))
        }
        self = isText && !start.contains(0) && !start.isEmpty ? .text : .other
    }

    /// What it is and what to do, in whole sentences.
    var message: String {
        switch self {
        case .realm:
            "This is a file of Realm's own format, which Travertine does not read: its realms are "
                + "directories. Export the objects with the program that wrote it, and import them "
                + "into a realm at another path."
        case .text:
            "This is a text file; a realm is a directory. Name one, or a path where nothing is yet."
        case .other:
            "This is a file of something else; a realm is a directory. Name one, or a path where "
                + "nothing is yet."
        }
    }
}
