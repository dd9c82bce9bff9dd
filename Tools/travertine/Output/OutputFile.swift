import ArgumentParser
import Foundation

/// A file that gets its name when it is complete, standard output, or what else can be written to:
/// a device, a named pipe and an open descriptor such as `/dev/stdout` keep their places, and take
/// the bytes as they come.
///
/// Control-C and SIGTERM end the writing of a file: what was written is removed, and the error says
/// so. The others end by the signal, like any program in a pipeline.
final class OutputFile {
    private let path: String?
    private let descriptor: Int32
    /// The name that the file has until it is complete; nil for what is no file.
    private let workPath: String?
    /// Whether a file of the name was there before.
    private var isThere = false
    private let interruption: Interruption?

    /// Opens the file, under its name with `.part` after it; nil is standard output.
    ///
    /// A path such as `/dev/stdout` stands for what this process has open, and is written as it is,
    /// from where it is, even if that is a file.
    private init(path: String?) throws {
        if let path, let open = Self.openDescriptor(path) {
            self.path = path
            workPath = nil
            interruption = nil
            descriptor = fcntl(open, F_DUPFD_CLOEXEC, 0)
            if descriptor < 0 { throw Self.error("opened", path) }
            return
        }
        // A symbolic link stays: what it leads to is written.
        let path = path.map { Self.resolved($0) ?? $0 }
        self.path = path
        guard let path else {
            descriptor = STDOUT_FILENO
            workPath = nil
            interruption = nil
            return
        }
        var status = stat()
        isThere = stat(path, &status) == 0
        if isThere, status.st_mode & S_IFMT == S_IFDIR {
            throw CommandError(
                ExitStatus.inputOutput, "\(path) is a directory: name a file in it.")
        }
        let isFile = !isThere || status.st_mode & S_IFMT == S_IFREG
        workPath = isFile ? path + ".part" : nil
        interruption = isFile ? Interruption(before: "Nothing was written.") : nil
        interruption?.begin()
        descriptor =
            isFile
            ? open(path + ".part", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            : open(path, O_WRONLY | O_CLOEXEC)
        if descriptor < 0 { throw Self.error("opened", workPath ?? path) }
    }

    /// Refuses an empty path, which a variable without value leaves, as a wrong argument.
    static func validate(_ path: String?, _ option: String) throws {
        if path?.isEmpty == true {
            throw ValidationError("\(option) is empty, and must name a file to write.")
        }
        if let path, isInStore(path) {
            throw ValidationError(
                "\(option) \(path) lies in the directory of a database, whose files could be lost. "
                    + "Choose another place.")
        }
        if let path, let compression = Compression(path: path) {
            let program = compression == .gzip ? "gzip" : "lz4"
            throw ValidationError(
                "\(option) \(path): what is written is not compressed. Leave out the last ending "
                    + "of the name, and compress the file with \(program).")
        }
    }

    /// Whether a path is a directory that has a database or a backup, or lies in one: the files
    /// there are not to be written over.
    private static func isInStore(_ path: String) -> Bool {
        let url = URL(fileURLWithPath: resolved(path) ?? path)
        return [url, url.deletingLastPathComponent()].contains { folder in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return names.contains("manifest")
                && (names.contains("lock") || names.contains("backup"))
                || names.contains { $0.hasSuffix(".segment") && $0.count == 18 }
        }
    }

    /// Whether what is written to a path comes out of standard output.
    static func isStandardOutput(_ path: String?) -> Bool {
        path.map { openDescriptor($0) == STDOUT_FILENO } ?? true
    }

    /// The descriptor of this process that a path stands for; nil if it is another path.
    private static func openDescriptor(_ path: String) -> Int32? {
        let folders = ["/proc/self/fd", "/dev/fd"].compactMap(resolved) + ["/dev/fd"]
        var url = URL(fileURLWithPath: path)
        for _ in 0..<linkCountMax {
            let folder = url.deletingLastPathComponent()
            let name = url.lastPathComponent
            if let number = Int32(name), String(number) == name,
                let parent = resolved(folder.path), folders.contains(parent)
            {
                return number
            }
            let files = FileManager.default
            guard let target = try? files.destinationOfSymbolicLink(atPath: url.path) else {
                return nil
            }
            url =
                target.hasPrefix("/")
                ? URL(fileURLWithPath: target) : folder.appendingPathComponent(target)
        }
        return nil
    }

    /// The most symbolic links that are followed, as Linux does.
    private static let linkCountMax = 40

    /// The path of a file that is there, without symbolic links.
    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Writes all bytes.
    ///
    /// - Throws: `CommandError`, also where a signal ends the writing of a file.
    func write(_ bytes: UnsafeRawBufferPointer) throws {
        if let interruption, interruption.isRequested {
            let name = path ?? ""
            throw interruption.error(
                "what was written is removed again, and \(name) "
                    + (isThere ? "is as it was." : "was not made."))
        }
        try Self.write(bytes, to: descriptor, path ?? "standard output")
    }

    /// Writes all bytes to a descriptor, whose name the error has.
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
    private func finish() throws {
        guard let path else { return }
        guard let workPath else {
            close(descriptor)
            return
        }
        guard fsync(descriptor) == 0 else { throw Self.error("synced", workPath) }
        close(descriptor)
        guard rename(workPath, path) == 0 else { throw Self.error("renamed", workPath) }
    }

    /// Has `body` write all of a file, which is not there if `body` throws.
    static func write<Result>(
        to path: String?, _ body: (OutputFile) throws -> Result
    ) throws -> Result {
        let target = try OutputFile(path: path)
        do {
            let result = try body(target)
            try target.finish()
            return result
        } catch {
            target.abandon()
            throw error
        }
    }

    /// Prints a line about what was written to a path: to standard error if it is for a person, or
    /// if the file itself comes out of standard output.
    static func report(_ line: String, isJSON: Bool, on path: String?) {
        if isJSON, !isStandardOutput(path) {
            print(line)
        } else if isJSON {
            printToStandardError(line)
        } else {
            printNote(line)
        }
    }

    /// Removes what was written.
    private func abandon() {
        guard path != nil else { return }
        close(descriptor)
        if let workPath { unlink(workPath) }
    }

    /// What a system call could not do with a file.
    static func error(_ verb: String, _ path: String) -> CommandError {
        let reason = errno
        return CommandError(
            reason == EACCES ? ExitStatus.noPermission : ExitStatus.inputOutput,
            "\(path) can't be \(verb): \(String(cString: strerror(reason))).")
    }
}
