import Foundation

/// A byte of a file.
struct BytePlace {
    let file: URL
    let offset: Int

    /// Where a text begins in the segments of a realm.
    static func all(of text: String, in realm: URL) throws -> [BytePlace] {
        let files = try FileManager.default.contentsOfDirectory(
            at: realm, includingPropertiesForKeys: nil)
        var places: [BytePlace] = []
        for file in files where file.lastPathComponent.hasSuffix(".segment") {
            let data = try Data(contentsOf: file)
            var start = data.startIndex
            while let found = data[start...].range(of: Data(text.utf8)) {
                places.append(BytePlace(file: file, offset: found.lowerBound))
                start = found.upperBound
            }
        }
        return places
    }

    /// Changes the byte in place, and back if it is called again. The realm may be open.
    func flip() throws {
        let handle = try FileHandle(forUpdating: file)
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(offset))
        guard let byte = try handle.read(upToCount: 1)?.first else { return }
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: [byte ^ 1])
    }
}
