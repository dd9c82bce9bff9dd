import Foundation
import TravertineDocuments

/// A file of documents that is read piece by piece; “-” is standard input.
final class DocumentFile {
    private static let pieceByteCount = 256 << 10

    /// The documents.
    var stream: DocumentStream
    /// The size of the file, if it has one.
    let totalByteCount: UInt64?

    /// How documents are written; those of a file by its name, unless it is told.
    enum Format {
        case json
        case bson
    }

    init(_ path: String, format: Format?) throws {
        let file: FileHandle
        if path == "-" {
            file = .standardInput
            totalByteCount = nil
        } else {
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
                throw CommandError(ExitStatus.noInput, "\(path): there is no such file.")
            }
            guard !isDirectory.boolValue else {
                throw CommandError(
                    ExitStatus.noInput,
                    "\(path) can't be read: it is a directory; name a file of documents.")
            }
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                let reason = errno
                throw CommandError(
                    reason == EACCES ? ExitStatus.noPermission : ExitStatus.inputOutput,
                    "\(path) can't be read: "
                        + (reason == EACCES
                            ? "permission is denied." : String(cString: strerror(reason)) + "."))
            }
            file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            totalByteCount = (attributes[.size] as? NSNumber)?.uint64Value
        }
        let isBSON =
            format.map { $0 == .bson }
            ?? (URL(fileURLWithPath: path).pathExtension.lowercased() == "bson")
        stream = DocumentStream(isBSON ? .bson : .extendedJSON) {
            try [UInt8](unsafeUninitializedCapacity: Self.pieceByteCount) { target, count in
                count = 0
                var outcome = read(file.fileDescriptor, target.baseAddress, target.count)
                while outcome < 0, errno == EINTR {
                    outcome = read(file.fileDescriptor, target.baseAddress, target.count)
                }
                guard outcome >= 0 else {
                    throw CommandError(
                        ExitStatus.inputOutput,
                        "\(path) can't be read: \(String(cString: strerror(errno))).")
                }
                count = outcome
            }
        }
    }
}
