import Foundation

/// A file that gets its name when it is complete, standard output, or what else can be written to:
/// a device or a named pipe keeps its place, and takes the bytes as they come.
final class OutputFile {
    private let path: String?
    private let descriptor: Int32
    /// The name that the file has until it is complete; nil for what is no file.
    private let workPath: String?

    /// Opens the file, under its name with `.part` behind it; nil is standard output.
    init(path: String?) throws {
        // A symbolic link stays: what it leads to is written.
        let path = path.map { Self.resolved($0) ?? $0 }
        self.path = path
        guard let path else {
            descriptor = STDOUT_FILENO
            workPath = nil
            return
        }
        var status = stat()
        let isThere = stat(path, &status) == 0
        if isThere, status.st_mode & S_IFMT == S_IFDIR {
            throw CommandError(
                ExitStatus.inputOutput, "\(path) is a directory: name a file in it.")
        }
        let isFile = !isThere || status.st_mode & S_IFMT == S_IFREG
        workPath = isFile ? path + ".part" : nil
        descriptor =
            isFile
            ? open(path + ".part", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            : open(path, O_WRONLY | O_CLOEXEC)
        if descriptor < 0 { throw Self.error("opened", workPath ?? path) }
    }

    /// The path of a file that is there, without symbolic links.
    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Writes all bytes.
    func write(_ bytes: UnsafeRawBufferPointer) throws {
        try Self.write(bytes, to: descriptor, path ?? "standard output")
    }

    /// Writes all bytes to a descriptor, whose name goes into the error.
    static func write(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ name: String
    ) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw error("written", name) }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Makes the file durable and gives it its name.
    func finish() throws {
        guard let path else { return }
        guard let workPath else {
            close(descriptor)
            return
        }
        guard fsync(descriptor) == 0 else { throw Self.error("synced", workPath) }
        close(descriptor)
        guard rename(workPath, path) == 0 else { throw Self.error("renamed", workPath) }
    }

    /// Removes what was written.
    func abandon() {
        guard path != nil else { return }
        close(descriptor)
        if let workPath { unlink(workPath) }
    }

    /// What a system call could not do with a file.
    static func error(_ verb: String, _ path: String) -> CommandError {
        CommandError(
            ExitStatus.inputOutput,
            "\(path) can't be \(verb): \(String(cString: strerror(errno))).")
    }
}
