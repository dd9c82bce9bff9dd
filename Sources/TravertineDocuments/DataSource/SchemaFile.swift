import TravertineJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file of a data source, which may hold anything.
struct SchemaFile {
    private let url: URL
    /// The file as messages name it.
    private let path: String

    init(_ url: URL, _ path: String) {
        self.url = url
        self.path = path
    }

    /// Whether there is such a file, readable or not.
    ///
    /// - Throws: `.unreadable` where that is unknown, as for one in a directory that is locked: to
    ///   pass over a schema would make another one of its title.
    func isThere() throws(DataSourceError) -> Bool {
        if access(url.path, F_OK) == 0 { return true }
        let reason = errno
        if reason == ENOENT || reason == ENOTDIR { return false }
        throw .unreadable(url.path, FileReason.text(system: reason))
    }

    /// The schema that the file is.
    func schema() throws(DataSourceError) -> DocumentSchema {
        let text = try text()
        do throws(DocumentError) {
            return try DocumentSchema(jsonSchema: text)
        } catch {
            throw .invalid(path, error)
        }
    }

    /// The links that the file says; none if there is no such file.
    func relationships() throws(DataSourceError) -> Relationships {
        guard try isThere() else { return Relationships() }
        let text = try text()
        do throws(DocumentError) {
            return try Relationships(json: text)
        } catch {
            throw .invalid(path, error)
        }
    }

    /// The text that takes the file's place: JSON with names in the order in which the file has
    /// them.
    func text(ofNewer json: JSONConstant) throws(DataSourceError) -> String {
        guard try isThere() else { return JSONLayout.text(of: json) }
        let older = try text()
        do throws(DocumentError) {
            return JSONLayout.text(of: json.ordered(as: try JSONNode(older).constant))
        } catch {
            throw .invalid(path, error)
        }
    }

    /// The text, without the byte order mark that some editors put before it.
    private func text() throws(DataSourceError) -> String {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw .unreadable(url.path, FileReason.text(error))
        }
        let invalid = data.withUnsafeBytes { bytes in
            UTF8Text.invalidOffset(bytes).map { TextPosition(offset: $0, in: bytes) }
        }
        if let invalid {
            throw .invalid(
                path,
                .invalidJSON(
                    reason: "these bytes are not UTF-8, which the file must be written in",
                    position: invalid))
        }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = String(
            decoding: data.starts(with: mark) ? data.dropFirst(mark.count) : data, as: UTF8.self)
        if text.allSatisfy(\.isWhitespace) {
            throw .invalid(
                path,
                .invalidJSON(
                    reason: "the file is empty",
                    position: TextPosition(offset: 0, line: 1, column: 1)))
        }
        return text
    }
}
