import TravertineStore

/// The records of unresolved links.
///
/// Two keys have one value. By source: `00` · type · object key u64 · property · position u32 · key
/// in the map. By target: `01` · type · target's key, counted · the key by source. Numbers are
/// big-endian; texts and counted bytes have their length u16 before them.
enum UnresolvedLinkCode {
    static let keyspaceName = "travertine.links"
    static let bySourceTag: UInt8 = 0
    static let byTargetTag: UInt8 = 1

    static func prefix(source: String, key: UInt64) -> [UInt8] {
        [bySourceTag] + counted(source.utf8) + withUnsafeBytes(of: key.bigEndian, Array.init)
    }

    static func prefix(source: String) -> [UInt8] { [bySourceTag] + counted(source.utf8) }

    /// The links of a property come in the order of their positions.
    static func prefix(source: String, key: UInt64, property: String) -> [UInt8] {
        prefix(source: source, key: key) + counted(property.utf8)
    }

    static func prefix(target: String, key: [UInt8]) -> [UInt8] {
        [byTargetTag] + counted(target.utf8) + counted(key)
    }

    static func keys(_ link: UnresolvedLink) -> (bySource: [UInt8], byTarget: [UInt8]) {
        let place =
            counted(link.property.utf8)
            + withUnsafeBytes(of: link.position.bigEndian, Array.init) + link.mapKey
        let bySource = prefix(source: link.source, key: link.sourceKey) + place
        return (bySource, prefix(target: link.target, key: link.targetKey) + bySource)
    }

    /// The position in a key that begins with the prefix of a property; nil in any other key.
    static func position(in key: UnsafeRawBufferPointer, behind prefix: [UInt8]) -> UInt32? {
        guard key.starts(with: prefix), key.count >= prefix.count + 4 else { return nil }
        return UInt32(
            bigEndian: key.loadUnaligned(fromByteOffset: prefix.count, as: UInt32.self))
    }

    private static func counted(_ bytes: some Collection<UInt8>) -> [UInt8] {
        withUnsafeBytes(of: UInt16(clamping: bytes.count).bigEndian, Array.init) + Array(bytes)
    }

    static func value(_ link: UnresolvedLink) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(link.source)
        writer.append(link.sourceKey)
        writer.append(link.property)
        writer.append(link.position)
        writer.append(counted: link.mapKey)
        writer.append(link.target)
        writer.append(counted: link.targetKey)
        if !link.path.isEmpty { writer.append(counted: link.path.stored) }
        return writer.bytes
    }

    static func link(_ bytes: UnsafeRawBufferPointer) throws -> UnresolvedLink {
        do throws(SchemaDamage) {
            var reader = ByteReader(bytes)
            var link = UnresolvedLink(
                source: try reader.takeText(), sourceKey: try reader.take(UInt64.self),
                property: try reader.takeText(), position: try reader.take(UInt32.self),
                mapKey: try reader.takeCounted(), target: try reader.takeText(),
                targetKey: try reader.takeCounted())
            if !reader.isAtEnd { link.path = try [MixedStep](stored: try reader.takeCounted()) }
            return link
        } catch {
            throw StoreError(
                .damaged, "A record of an unresolved link is damaged. Run `travertine fsck`.")
        }
    }

    /// Calls `body` with the primary key that was written down.
    static func withRaw<Result>(
        _ key: [UInt8], _ body: (_RawValue) throws -> Result
    ) rethrows -> Result {
        try key.withUnsafeBytes { bytes in
            switch bytes.first {
            case 1 where bytes.count == 9:
                let word = bytes.loadUnaligned(fromByteOffset: 1, as: Int64.self)
                return try body(.word(Int64(bigEndian: word)))
            case 2: return try body(.bytes(UnsafeRawBufferPointer(rebasing: bytes[1...])))
            default: return try body(.null)
            }
        }
    }
}
