/// Pictures that the page shows, by their first bytes.
///
/// No format that can hold a script: SVG is not among them.
enum ImageFormat: String {
    case png
    case jpeg
    case gif
    case webp

    /// The format of some bytes; nil if they begin as none.
    init?(_ bytes: some Collection<UInt8>) {
        let head = Array(bytes.prefix(12))
        if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if head.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if head.starts(with: Array("GIF87a".utf8)) || head.starts(with: Array("GIF89a".utf8))
        {
            self = .gif
        } else if head.count == 12, head.starts(with: Array("RIFF".utf8)),
            head[8...].elementsEqual(Array("WEBP".utf8))
        {
            self = .webp
        } else {
            return nil
        }
    }

    var contentType: String { "image/\(rawValue)" }
}
