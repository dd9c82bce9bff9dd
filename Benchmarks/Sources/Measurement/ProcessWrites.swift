/// What this process had written to storage.
public enum ProcessWrites {
    /// Bytes of pages that this process made dirty or wrote directly: `write_bytes` of
    /// `/proc/self/io`. A page that is written again before it goes to the disk counts once, also
    /// one of a mapped file; a file that is removed before that still counts. Nil where there is no
    /// such file.
    public static func byteCount() -> Int? {
        guard let text = TextFile.contents(of: "/proc/self/io") else { return nil }
        for line in text.split(separator: "\n") where line.hasPrefix("write_bytes:") {
            return line.split(separator: " ").last.flatMap { Int($0) }
        }
        return nil
    }
}
