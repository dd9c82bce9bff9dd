import Foundation

/// How a file is compressed, by the ending of its name.
enum Compression {
    case gzip
    case lz4

    /// The compression that a path ends with; nil for other files.
    init?(path: String) {
        switch URL(fileURLWithPath: path).pathExtension.lowercased() {
        case "gz": self = .gzip
        case "lz4": self = .lz4
        default: return nil
        }
    }

    /// The ending that says what is in a file: `jsonl` of `a.jsonl` and of `a.jsonl.gz`.
    static func contentExtension(of path: String) -> String {
        let url = URL(fileURLWithPath: path)
        let inner = Compression(path: path) == nil ? url : url.deletingPathExtension()
        return inner.pathExtension.lowercased()
    }

    /// The program whose files begin so; nil for others.
    static func program(of start: some Sequence<UInt8>) -> String? {
        let bytes = Array(start.prefix(4))
        if bytes.starts(with: [0x1f, 0x8b]) { return "gzip" }
        if bytes == [0x04, 0x22, 0x4d, 0x18] { return "lz4" }
        return bytes == [0x28, 0xb5, 0x2f, 0xfd] ? "zstd" : nil
    }
}
