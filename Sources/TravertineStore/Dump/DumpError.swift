#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Why a dump was not loaded: which line, and what is wrong with it.
///
/// Nothing of a dump that has an error is left over: see `Store.load`.
public struct DumpError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of errors.
    public enum Reason: Sendable, Hashable {
        /// The first line is not the header of a dump.
        case notADump
        /// The dump has a newer form than this version of Travertine reads.
        case newerVersion(UInt64)
        /// The line is not one JSON object; `column` counts bytes from 1.
        case syntax(String, column: Int)
        /// The line is longer than any record can make it.
        case lineTooLong
        /// A member that the line needs is not there.
        case missingMember(String)
        /// A member is there that no line of this kind has.
        case unknownMember(String)
        /// A member is there twice.
        case duplicateMember(String)
        /// A member's value is not of its type, or out of its range.
        case badValue(member: String, expected: String)
        /// A keyspace's identifier is not the next one.
        case keyspaceOutOfOrder(UInt32)
        /// Two keyspaces have one name.
        case duplicateKeyspace(String)
        /// A record names a keyspace that has no line, or one that was dropped.
        case unknownKeyspace(UInt32)
        /// A key is not after the one before it, or its keyspace is an earlier one.
        case keyOutOfOrder
        /// A key or a value is longer than a store takes.
        case tooLarge(member: String, byteCount: Int)
        /// A line of a keyspace comes after records.
        case misplacedKeyspace
        /// The dump ends without its last line: it was cut off.
        case truncated
        /// The end line counts other numbers of keyspaces or records than there are.
        case countMismatch(member: String, expected: UInt64, found: UInt64)
        /// The text was changed: its checksum is not the one of the end line.
        case checksumMismatch(expected: UInt32, found: UInt32)
        /// Something follows the end line.
        case trailingText
    }

    /// The line, counted from 1.
    public let line: Int
    /// What is wrong with it.
    public let reason: Reason

    /// Creates an error.
    public init(line: Int, reason: Reason) {
        self.line = line
        self.reason = reason
    }

    /// The line and what is wrong with it, as a sentence.
    public var description: String { "line \(line): \(explanation)" }

    private var explanation: String {
        switch reason {
        case .notADump:
            "this is not the header of a Travertine dump."
        case .newerVersion(let version):
            "the dump has version \(version); this version of Travertine reads up to "
                + "\(DumpFormat.version). Load it with a newer Travertine."
        case .syntax(let text, let column):
            "\(text) at column \(column)."
        case .lineTooLong:
            "the line is longer than \(DumpFormat.lineByteCountMax) bytes."
        case .missingMember(let name): "the member “\(name)” is missing."
        case .unknownMember(let name): "the member “\(name)” does not belong here."
        case .duplicateMember(let name): "the member “\(name)” is there twice."
        case .badValue(let member, let expected): "the member “\(member)” must be \(expected)."
        case .truncated:
            "the dump ends here without its end line: it was cut off. Dump the store again."
        case .checksumMismatch(let expected, let found):
            "the checksum of the lines before is \(DumpText.hexadecimal(found)), not "
                + "\(DumpText.hexadecimal(expected)): the dump was changed."
        default: placement
        }
    }

    private var placement: String {
        switch reason {
        case .keyspaceOutOfOrder(let id):
            "keyspace \(id) is not the next one: identifiers ascend without a gap from 1."
        case .duplicateKeyspace(let name): "another keyspace is called “\(name)”."
        case .unknownKeyspace(let id): "there is no keyspace \(id) to hold records."
        case .keyOutOfOrder: "the key does not come after the one before it."
        case .tooLarge(let member, let count): "“\(member)” has \(count) bytes, which is too many."
        case .misplacedKeyspace: "keyspaces come before records."
        case .countMismatch(let member, let expected, let found):
            "“\(member)” says \(expected), but there were \(found)."
        case .trailingText: "something follows the end line."
        default: "\(reason)"
        }
    }
}

extension DumpError: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
