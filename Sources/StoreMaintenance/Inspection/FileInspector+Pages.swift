import OrderedIndex
import SegmentLog
import TravertineStore

/// Page files: the header, the descriptor, single pages.
extension FileInspector {
    mutating func inspectPageFile(_ selection: FileInspection.Selection) {
        let header = bytes(at: 0, PageFileHeader.byteCount)
        let isWhole = header.count == PageFileHeader.byteCount && BlockChecksum.matches(header)
        var reader = ByteReader(header)
        reader.move(to: PageFileHeader.Offset.pageCount)
        let pageCount = Int(reader.read(UInt32.self) ?? 0)
        let seed = reader.read(UInt64.self) ?? 0
        reader.move(to: PageFileHeader.Offset.descriptorOffset)
        let descriptorOffset = Int(clamping: reader.read(UInt64.self) ?? 0)
        let descriptorByteCount = Int(clamping: reader.read(UInt64.self) ?? 0)
        let descriptorSum = reader.read(UInt32.self) ?? 0
        let pages = PageFileHeader.byteCount..<max(descriptorOffset, PageFileHeader.byteCount)
        if case .offset(let wanted) = selection, pages.contains(wanted) {
            addPage(
                (wanted - PageFileHeader.byteCount) / PageFileHeader.pageByteCount, seed: seed)
            return
        }
        if case .lsn = selection { return }
        addPageFileHeader(isWhole: isWhole)
        if case .offset(let wanted) = selection, wanted < PageFileHeader.byteCount { return }
        let length = min(descriptorByteCount, CheckpointDescriptor.byteCountMax)
        let descriptor = bytes(at: descriptorOffset, length)
        let isMatching =
            descriptor.count == descriptorByteCount && checksum(of: descriptor) == descriptorSum
        addDescriptor(at: descriptorOffset, length, isMatching: isMatching)
        listDamagedPages(pageCount, seed, selection)
    }

    private mutating func addPageFileHeader(isWhole: Bool) {
        add(
            "page file header", at: 0, PageFileHeader.Offset.end,
            problem: isWhole ? nil : "the checksum of the header does not match"
        ) { reader in
            reader.bytes("magic", 8)
            reader.number("format version", UInt32.self)
            reader.zeros(4)
            reader.uuid("store UUID", highFirst: true)
            reader.number("lineage", UInt64.self) { hex($0, 16) }
            reader.number("page file number", UInt32.self)
            reader.number("page count", UInt32.self)
            reader.number("seed", UInt64.self) { hex($0, 16) }
            reader.number("LSN of the checkpoint", UInt64.self)
            reader.number("descriptor offset", UInt64.self)
            reader.number("descriptor length", UInt64.self)
            reader.number("descriptor's checksum", UInt32.self) { hex($0, 8) }
        }
    }

    private mutating func addDescriptor(at offset: Int, _ byteCount: Int, isMatching: Bool) {
        add(
            "checkpoint descriptor", at: offset, byteCount,
            problem: isMatching ? nil : "the checksum of the descriptor does not match"
        ) { reader in
            reader.number("LSN of the checkpoint", UInt64.self)
            reader.number("version of the root", UInt64.self)
            reader.number("replay start: segment", UInt32.self)
            let trees = reader.number("trees", UInt32.self) ?? 0
            reader.number("replay start: offset", UInt64.self)
            let counters = reader.number("segment counters", UInt32.self) ?? 0
            let files = reader.number("page files", UInt32.self) ?? 0
            for tree in 0..<min(trees, 1000) {
                reader.number("keyspace \(tree): root", UInt64.self, Self.reference)
                reader.number("keyspace \(tree): keys", UInt64.self)
                reader.number("keyspace \(tree): height", UInt32.self)
                reader.number("keyspace \(tree): flags", UInt32.self, Self.flags)
                reader.zeros(8)
            }
            reader.move(to: 40 + Int(trees) * 32)
            for _ in 0..<min(counters, 1000) {
                let number = reader.number("segment", UInt32.self) ?? 0
                reader.zeros(4)
                reader.number("segment \(number): live bytes", UInt64.self)
            }
            reader.move(to: 40 + Int(trees) * 32 + Int(counters) * 16)
            for _ in 0..<min(files, 1000) {
                let number = reader.number("page file", UInt32.self) ?? 0
                reader.number("page file \(number): pages", UInt32.self)
                reader.number("page file \(number): seed", UInt64.self) { hex($0, 16) }
            }
        }
    }

    private static func reference(_ bits: UInt64) -> String {
        if bits == 0 { return "none" }
        if bits >> 63 == 0 { return "\(hex(bits, 16)): impossible in a file" }
        return "page \(bits & 0xffff_ffff) of file \(bits >> 32 & 0x7fff_ffff)"
    }

    private static func flags(_ flags: UInt32) -> String {
        let names = [
            (TreeFlags.invalid, "to be rebuilt"), (TreeFlags.derived, "derived"),
            (TreeFlags.dropped, "dropped"), (TreeFlags.cold, "cold"),
            (TreeFlags.packed, "packed"),
        ].filter { flags & $0.0 != 0 }.map(\.1)
        return names.isEmpty ? "\(flags)" : "\(flags): \(names.joined(separator: ", "))"
    }

    private func pageMatches(_ number: Int, seed: UInt64) -> Bool {
        let size = PageFileHeader.pageByteCount
        let page = bytes(at: PageFileHeader.byteCount + number * size, size)
        guard page.count == size, let base = page.baseAddress, let number = UInt32(exactly: number)
        else { return false }
        return PageChecksum.matches(base, page: number, seed: seed)
    }

    private mutating func listDamagedPages(
        _ pageCount: Int, _ seed: UInt64, _ selection: FileInspection.Selection
    ) {
        guard case .overview(let limit) = selection else { return }
        let size = PageFileHeader.pageByteCount
        let present = max(0, window.byteCount - PageFileHeader.byteCount) / size
        for number in 0..<min(pageCount, present) where !pageMatches(number, seed: seed) {
            guard inspection.parts.count < limit else {
                inspection.omittedPartCount += 1
                continue
            }
            inspection.parts.append(
                FileInspection.Part(
                    title: "index page \(number)", offset: PageFileHeader.byteCount + number * size,
                    byteCount: size, problem: "its checksum does not match"))
        }
    }

    private mutating func addPage(_ number: Int, seed: UInt64) {
        let size = PageFileHeader.pageByteCount
        add(
            "index page \(number)", at: PageFileHeader.byteCount + number * size, size,
            problem: pageMatches(number, seed: seed) ? nil : "its checksum does not match"
        ) { reader in
            reader.number("version", UInt64.self)
            reader.number("count", UInt8.self)
            reader.number("capacity", UInt8.self)
            reader.number("key length or heap start", UInt16.self)
            let prefix = Int(reader.number("prefix length", UInt16.self) ?? 0)
            var level = 0
            reader.number("level and layout", UInt8.self) { byte in
                level = Int(byte & 63)
                let layouts = ["fixed leaf", "slotted leaf", "plain inner", "general inner"]
                return "level \(byte & 63), \(layouts[Int(byte >> 6)])"
            }
            if level == 0, prefix <= 48 {
                reader.move(to: 16)
                reader.bytes("prefix", prefix)
            } else {
                reader.move(to: size - 4 - min(prefix, 512))
                reader.bytes("prefix", min(prefix, 512))
            }
            reader.move(to: size - 4)
            reader.number("checksum", UInt32.self) { hex($0, 8) }
        }
    }
}
