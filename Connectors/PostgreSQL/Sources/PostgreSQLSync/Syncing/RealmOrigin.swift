import Foundation

/// The directory that the objects of a feed are from.
///
/// A copy of a directory has the UUID of the original, and its feeds: on the server both are the
/// same, and each would replace what the other one has copied.
struct RealmOrigin: Codable, Equatable {
    var host: String
    var path: String
    /// A directory keeps it when it is renamed, and a copy has another one.
    var inode: UInt64

    /// Nil where there is no such directory.
    init?(of directory: URL) {
        let path = directory.standardizedFileURL.resolvingSymlinksInPath().path
        guard let status = Self.status(of: path) else { return nil }
        (host, self.path, inode) = (Self.hostName, path, UInt64(status.st_ino))
    }

    /// Whether this directory is another one than an earlier one, which is still where it was.
    ///
    /// What is on another machine can't be seen: then it is not.
    func isCopy(of earlier: RealmOrigin) -> Bool {
        guard earlier.host == host, let here = Self.status(of: path),
            let there = Self.status(of: earlier.path)
        else { return false }
        if here.st_dev == there.st_dev, here.st_ino == there.st_ino { return false }
        // One that was put in its place, such as a restored backup, has another number.
        return UInt64(there.st_ino) == earlier.inode
            && FileManager.default.fileExists(atPath: earlier.path + "/manifest")
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    private static var hostName: String {
        let byteCountMax = 255
        var text = [CChar](repeating: 0, count: byteCountMax + 1)
        guard gethostname(&text, byteCountMax) == 0 else { return "" }
        return text.withUnsafeBytes { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
