#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How much memory this process has that it does not share.
public enum ProcessMemory {
    /// Bytes of anonymous memory that are resident: what the process allocated and touched, without
    /// mapped files and the page cache. Nil where `/proc/self/smaps_rollup` does not exist.
    public static func anonymousByteCount() -> Int? {
        guard let text = TextFile.contents(of: "/proc/self/smaps_rollup") else { return nil }
        for line in text.split(separator: "\n") where line.hasPrefix("Anonymous:") {
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            return fields.count > 1 ? Int(fields[1]).map { $0 * 1024 } : nil
        }
        return nil
    }
}

/// Small text files, such as those of `/proc`, whose size is not known before they are read.
public enum TextFile {
    /// The whole file, or nil if it cannot be read.
    public static func contents(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count <= 0 { break }
            bytes.append(contentsOf: buffer[0..<count])
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Writes the whole file, replacing one that is there.
    public static func write(_ text: String, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        try require(
            descriptor >= 0, "\(path) cannot be written: \(String(cString: strerror(errno)))")
        defer { close(descriptor) }
        var rest = ArraySlice(text.utf8)
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { writeBytes(descriptor, $0) }
            try require(count > 0, "\(path): \(String(cString: strerror(errno)))")
            rest = rest.dropFirst(count)
        }
    }
}

/// The system call; inside `TextFile` its name means something else.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
