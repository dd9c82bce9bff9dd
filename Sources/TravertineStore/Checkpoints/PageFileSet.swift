import Locks
import OrderedIndex

/// The page files that trees in memory may refer to: attached to the index, with their pages.
///
/// A file is attached before anything refers to it. When the newest version refers to it no more
/// it *leaves*; it stays until no version that may be read refers to it (C9), and is then
/// *released*: detached, and its pages given back.
final class PageFileSet: Sendable {
    private struct Member: Sendable {
        var pages: AttachedPages
        /// The first version that may refer to the file.
        var birth: UInt64
        /// The first version that does not any more; nil while the newest may.
        var retirement: UInt64?
    }

    private let members: Locked<[UInt32: Member]>

    /// The files that the opening root refers to.
    init(_ pages: [AttachedPages]) {
        members = Locked(
            Dictionary(
                pages.map { ($0.reference.number, Member(pages: $0, birth: 0)) },
                uniquingKeysWith: { first, _ in first }))
    }

    /// The numbers of all files that some version in memory may refer to.
    var numbers: Set<UInt32> { members.withLock { Set($0.keys) } }

    /// The bytes of the pages of all these files, whether they are still referred to or not.
    var byteCount: Int {
        members.withLock { members in
            members.values.reduce(0) {
                $0 + Int($1.pages.reference.pageCount) * PageFileHeader.pageByteCount
            }
        }
    }

    /// Whether a file is attached.
    func contains(_ number: UInt32) -> Bool { members.withLock { $0[number] != nil } }

    /// Adds a file that versions from `birth` on may refer to.
    func add(_ pages: AttachedPages, birth: UInt64) {
        members.withLock { $0[pages.reference.number] = Member(pages: pages, birth: birth) }
    }

    /// Notes that versions from `retirement` on refer to no file but these.
    func keepOnly(_ numbers: Set<UInt32>, from retirement: UInt64) {
        members.withLock { members in
            for (number, member) in members where member.retirement == nil {
                if !numbers.contains(number) { members[number]?.retirement = retirement }
            }
        }
    }

    /// Detaches the files that no readable version refers to. The caller holds the gate.
    func release(from index: Index) {
        members.withLock { members in
            for (number, member) in members {
                guard let retirement = member.retirement,
                    retirement <= member.birth || !index.isHeld(member.birth..<retirement)
                else { continue }
                index.detachPageFile(number: number)
                members[number] = nil
            }
        }
    }
}
