import OrderedIndex
import SegmentLog

/// What a checkpoint says beside its pages: the trees, where replay starts, and the counters.
///
/// It is after the pages of its page file; its CRC32C is in the file's header and in the
/// manifest. Layout, little-endian:
///
///     0   8  LSN of the checkpoint
///     8   8  version of the root
///     16  4  replay start: segment number (0: nothing was ever written)
///     20  4  number of trees
///     24  8  replay start: offset
///     32  4  number of segments with counters
///     36  4  number of page files that the trees refer to
///     40  .. trees, 32 bytes each: root reference u64 · keys u64 · height u32 · flags u32 ·
///            zero u64
///         .. segments, 16 bytes each: number u32 · zero u32 · live bytes u64
///         .. page files, 16 bytes each: number u32 · page count u32 · seed u64
package struct CheckpointDescriptor {
    /// No descriptor is longer.
    package static let byteCountMax = 256 << 20
    private static let treeByteCount = 8 + 8 + 4 + 4 + 8
    private static let segmentByteCount = 4 + 4 + 8
    private static let pageFileByteCount = 4 + 4 + 8

    /// Where each field begins.
    private enum Offset {
        static let lsn = 0
        static let version = lsn + 8
        static let replaySegment = version + 8
        static let treeCount = replaySegment + 4
        static let replayOffset = treeCount + 4
        static let segmentCount = replayOffset + 8
        static let pageFileCount = segmentCount + 4
        static let trees = pageFileCount + 4
    }

    var lsn: LSN
    /// The version of the root.
    package var version: UInt64
    var replayStart: LogPosition?
    /// The tree of each keyspace, by identifier.
    package var trees: [Tree]
    var usage: SegmentUsage
    /// The page files that the trees refer to.
    package var pageFiles: [PageFileReference]

    /// One page file that the trees refer to.
    package struct PageFileReference: Equatable {
        /// The number in the file's name.
        package var number: UInt32
        var pageCount: UInt32
        var seed: UInt64
    }

    /// The bytes of the descriptor.
    var encoded: [UInt8] {
        let segments = usage.segments
        let byteCount = Self.byteCount(
            treeCount: trees.count, segmentCount: segments.count, pageFileCount: pageFiles.count)
        var writer = ByteWriter(reservingByteCount: byteCount)
        writer.append(lsn.rawValue, at: Offset.lsn)
        writer.append(version, at: Offset.version)
        writer.append(replayStart?.segment.rawValue ?? 0, at: Offset.replaySegment)
        writer.append(UInt32(trees.count), at: Offset.treeCount)
        writer.append(replayStart?.offset ?? 0, at: Offset.replayOffset)
        writer.append(UInt32(segments.count), at: Offset.segmentCount)
        writer.append(UInt32(pageFiles.count), at: Offset.pageFileCount)
        for tree in trees {
            writer.append(tree.root.bits)
            writer.append(tree.count)
            writer.append(tree.height)
            writer.append(tree.flags)
            writer.append(UInt64(0))
        }
        for (number, liveByteCount) in segments {
            writer.append(number)
            writer.append(UInt32(0))
            // A counter is a hint; a wrong one must not cost the checkpoint.
            writer.append(min(max(0, liveByteCount), 64 << 20))
        }
        for file in pageFiles {
            writer.append(file.number)
            writer.append(file.pageCount)
            writer.append(file.seed)
        }
        assert(writer.bytes.count == byteCount)
        return writer.bytes
    }

    /// The length of a descriptor of so many trees, segments and page files.
    static func byteCount(treeCount: Int, segmentCount: Int, pageFileCount: Int) -> Int {
        Offset.trees + treeCount * treeByteCount + segmentCount * segmentByteCount
            + pageFileCount * pageFileByteCount
    }

    init(
        lsn: LSN, version: UInt64, replayStart: LogPosition?, trees: [Tree], usage: SegmentUsage,
        pageFiles: [PageFileReference]
    ) {
        self.lsn = lsn
        self.version = version
        self.replayStart = replayStart
        self.trees = trees
        self.usage = usage
        self.pageFiles = pageFiles
    }

    /// Decodes a descriptor whose checksum was verified; nil if its content is impossible.
    init?(decoding bytes: UnsafeRawBufferPointer) {
        var reader = ByteReader(bytes)
        guard let lsn = reader.read(UInt64.self, at: Offset.lsn),
            let version = reader.read(UInt64.self, at: Offset.version),
            let segment = reader.read(UInt32.self, at: Offset.replaySegment),
            let treeCount = reader.read(UInt32.self, at: Offset.treeCount),
            let offset = reader.read(UInt64.self, at: Offset.replayOffset),
            let segmentCount = reader.read(UInt32.self, at: Offset.segmentCount),
            let fileCount = reader.read(UInt32.self, at: Offset.pageFileCount),
            lsn < 1 << 62, version < 1 << 62,
            bytes.count
                == Self.byteCount(
                    treeCount: Int(treeCount), segmentCount: Int(segmentCount),
                    pageFileCount: Int(fileCount))
        else { return nil }
        self.init(
            lsn: LSN(rawValue: lsn), version: version,
            replayStart: segment == 0
                ? nil : LogPosition(segment: SegmentNumber(rawValue: segment), offset: offset),
            trees: [], usage: SegmentUsage(), pageFiles: [])
        guard decodeTrees(count: treeCount, from: &reader),
            decodeUsage(count: segmentCount, from: &reader),
            decodePageFiles(count: fileCount, from: &reader)
        else { return nil }
        let pageCounts = Dictionary(
            pageFiles.map { ($0.number, $0.pageCount) }, uniquingKeysWith: { first, _ in first })
        for tree in trees where tree.height > 0 {
            guard let page = tree.root.page, let count = pageCounts[page.file], page.page < count
            else { return nil }
        }
    }

    private mutating func decodeTrees(count: UInt32, from reader: inout ByteReader) -> Bool {
        for _ in 0..<count {
            guard let root = reader.read(UInt64.self), let keys = reader.read(UInt64.self),
                let height = reader.read(UInt32.self), let flags = reader.read(UInt32.self),
                let zero = reader.read(UInt64.self), zero == 0, height <= 64, keys < 1 << 48,
                (height == 0) == (root == 0), (height == 0) == (keys == 0)
            else { return false }
            trees.append(
                Tree(
                    root: NodeReference(bits: root), count: keys, height: height, flags: flags,
                    userData: 0))
        }
        return trees.count >= 2
    }

    private mutating func decodeUsage(count: UInt32, from reader: inout ByteReader) -> Bool {
        for _ in 0..<count {
            guard let number = reader.read(UInt32.self), let zero = reader.read(UInt32.self),
                let live = reader.read(Int64.self), zero == 0, number > 0,
                number <= SegmentNumber.maximum.rawValue,
                live >= 0, live <= 64 << 20
            else { return false }
            usage.add(Int(live), to: SegmentNumber(rawValue: number))
        }
        return true
    }

    private mutating func decodePageFiles(count: UInt32, from reader: inout ByteReader) -> Bool {
        var numbers: Set<UInt32> = []
        for _ in 0..<count {
            guard let number = reader.read(UInt32.self), let pages = reader.read(UInt32.self),
                let seed = reader.read(UInt64.self), number > 0, number < 1 << 31
            else { return false }
            guard numbers.insert(number).inserted else { return false }
            pageFiles.append(PageFileReference(number: number, pageCount: pages, seed: seed))
        }
        return true
    }
}
