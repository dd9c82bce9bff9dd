import Foundation
import PostgreSQLServer

/// A file system in memory that is soon full. Needs the rights to mount one.
final class SmallDisk {
    let path = "/tmp/tpg-disk-\(UUID().uuidString.prefix(8))"

    /// Whether one can be mounted here.
    static let isPossible = (try? SmallDisk(megabytes: 1)) != nil

    init(megabytes: Int) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        do {
            try CommandLineRun([
                "mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path,
            ]).run()
        } catch {
            try? FileManager.default.removeItem(atPath: path)
            throw error
        }
    }

    deinit {
        // Also where a server has files of it open still.
        _ = try? CommandLineRun(["umount", "--lazy", path]).run()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Gives it to the user who owns a path.
    func own(as other: String) throws {
        try CommandLineRun(["chown", "--reference=\(other)", path]).run()
    }

    /// Makes room.
    func grow(toMegabytes megabytes: Int) throws {
        try CommandLineRun(["mount", "-o", "remount,size=\(megabytes)m", path]).run()
    }
}
