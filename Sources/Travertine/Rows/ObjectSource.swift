import TravertineStore

/// An unmanaged object of a class, whose targets all have their keys, as the source of its row.
struct ObjectSource: RowSource {
    let object: ObjectBase
    let info: ClassInfo
    let visibleCount: Int

    @inline(__always)
    func hasValue(at slot: Int) -> Bool { slot < visibleCount }

    @inline(__always)
    func storePieces(of key: UInt64, _ writer: RowWriter) throws {
        let session = writer.session
        if !session.insertion.preparedPieces.isEmpty {
            session.insertion.preparedPieces.removeAll(keepingCapacity: true)
        }
        session.insertion.isMakingRow = true
        for position in info.pieceSlots.indices {
            let slot = info.pieceSlots[position]
            let wrapper = info.wrappers[slot]
            wrapper.valueType._encode(
                object._memory + wrapper.offset, of: object, into: session.buffers.encoder,
                slot: slot)
            if let failure = session.failure { throw failure }
        }
    }

    @inline(__always)
    func encode(_ slot: Int, into encoder: _RowEncoder) {
        let property = info.wrappers[slot]
        let storage = object._memory + property.offset
        switch property.encoding {
        case .int:
            let wrapper = storage.assumingMemoryBound(to: Persisted<Int>.self)
            encoder.putWord(Int64(wrapper.pointee.storage ?? 0), at: slot)
        case .optionalInt:
            let wrapper = storage.assumingMemoryBound(to: Persisted<Int?>.self)
            if let value = wrapper.pointee.storage ?? nil {
                encoder.putWord(Int64(value), at: slot)
            } else {
                encoder.putNull(at: slot)
            }
        case .string:
            let wrapper = storage.assumingMemoryBound(to: Persisted<String>.self)
            encode(wrapper.pointee.storage ?? "", slot, into: encoder)
        case .optionalString:
            let wrapper = storage.assumingMemoryBound(to: Persisted<String?>.self)
            if let value = wrapper.pointee.storage ?? nil {
                encode(value, slot, into: encoder)
            } else {
                encoder.putNull(at: slot)
            }
        case .double:
            let wrapper = storage.assumingMemoryBound(to: Persisted<Double>.self)
            encoder.putWord(
                Int64(bitPattern: (wrapper.pointee.storage ?? 0).bitPattern), at: slot)
        case .bool:
            let wrapper = storage.assumingMemoryBound(to: Persisted<Bool>.self)
            encoder.putWord(wrapper.pointee.storage ?? false ? 1 : 0, at: slot)
        case .other:
            property.valueType._encode(storage, of: object, into: encoder, slot: slot)
        }
    }

    @inline(__always)
    private func encode(_ text: String, _ slot: Int, into encoder: _RowEncoder) {
        var text = text
        text.withUTF8 { encoder.putVariable(UnsafeRawBufferPointer($0), at: slot) }
    }
}

extension RealmSession {
    /// Encodes an object's row and stores it, with everything derived from it.
    func store(
        _ object: ObjectBase, _ table: TableState, _ key: UInt64, exists: Bool,
        _ transaction: WriteTransaction
    ) throws {
        defer { insertion.isMakingRow = false }
        let source = ObjectSource(
            object: object, info: table.info, visibleCount: table.visibleCount)
        try rowWriter(table, transaction).store(source, key: key, exists: exists)
    }
}
