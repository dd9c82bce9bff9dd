import OrderedIndex
import SegmentLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Why a file can't be believed, as the end of a sentence that begins with the file.
package struct DamageReason: Error, ExpressibleByStringLiteral, CustomStringConvertible {
    package let description: String
    /// What opening throws instead of doing without the file: nothing is known to be damaged.
    package private(set) var error: StoreError?

    package init(stringLiteral value: String) { description = value }
    init(_ description: String, error: StoreError? = nil) {
        self.description = description
        self.error = error
    }

    /// A file of a later version, which only a later program can judge.
    static func newerFormat(_ version: UInt32, _ number: UInt32) -> DamageReason {
        DamageReason(
            "it has format version \(version)",
            error: StoreError(
                .newerFormat,
                "The file has format version \(version); this version of Travertine reads up to "
                    + "\(PageFileHeader.formatVersion). Open the store with a newer Travertine.",
                file: StoreFiles.pageFile(number)))
    }

    /// A file that can't be opened or read: for lack of descriptors or memory, or because the
    /// process may not, it is as good as it was, and a replay of the whole log is not what the
    /// user wants.
    static func unopened(_ error: FileSystemError) -> DamageReason {
        let isOfTheProcess =
            [EMFILE, ENFILE, ENOMEM].contains(error.code) || error.isPermissionDenied
        return DamageReason(
            "it can't be read: \(error)", error: isOfTheProcess ? StoreError(error) : nil)
    }
}
