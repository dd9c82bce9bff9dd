/// Changing a field of a row in place.
extension LayoutBinding {
    /// Stores a value in a row in place; false if the row has no room for it.
    func store(
        _ raw: _RawValue, at slot: Int, in row: UnsafeMutableRawBufferPointer
    ) -> Bool {
        let place = places[slot]
        guard !place.isAbsent, let base = row.baseAddress else { return false }
        switch raw {
        case .null:
            guard place.nullBit != 0 else { return false }
            if shapes[slot] == .variable, !place.isNull(in: base),
                place.variable(in: base, byteCount: row.count).count > 0
            {
                return false
            }
            // A later reader to whom the property is not optional finds zero, not the old value.
            switch shapes[slot] {
            case .word:
                let width = place.width
                UnsafeMutableRawBufferPointer(
                    start: base + (Int(place.offset) + 8 - width), count: width
                ).initializeMemory(as: UInt8.self, repeating: 0)
            case .fixed(let count):
                UnsafeMutableRawBufferPointer(start: base + Int(place.offset), count: Int(count))
                    .initializeMemory(as: UInt8.self, repeating: 0)
            case .variable: break
            }
            setNull(place, base, true)
        case .word(let word):
            let width = place.width
            guard width == 8 || Layout.width(of: word) <= width else { return false }
            if width > 0 {
                // The field is the last bytes of the eight that a reader takes.
                let target = base + Int(place.offset)
                let shift = UInt64(64 &- 8 &* width)
                let others = UInt64(littleEndian: target.loadUnaligned(as: UInt64.self))
                let bits = UInt64(bitPattern: word) &<< shift | others & (1 &<< shift &- 1)
                target.storeBytes(of: bits.littleEndian, as: UInt64.self)
            }
            setNull(place, base, false)
        case .bytes(let bytes):
            let target: UnsafeRawBufferPointer
            if case .fixed(let count) = shapes[slot] {
                target = place.fixed(in: base, Int(count))
            } else {
                target = place.variable(in: base, byteCount: row.count)
            }
            guard target.count == bytes.count else { return false }
            if let from = bytes.baseAddress, let to = target.baseAddress, bytes.count > 0 {
                UnsafeMutableRawPointer(mutating: to).copyMemory(
                    from: from, byteCount: bytes.count)
            }
            setNull(place, base, false)
        }
        return true
    }

    private func setNull(_ place: _FieldOffset, _ base: UnsafeMutableRawPointer, _ isNull: Bool) {
        if place.nullBit == 0 { return }
        let byte = base + Int(place.nullBit >> 3)
        let mask = UInt8(1) << UInt8(place.nullBit & 7)
        let old = byte.load(as: UInt8.self)
        byte.storeBytes(of: isNull ? old | mask : old & ~mask, as: UInt8.self)
    }
}

extension _RawValue {
    /// Whether both are stored alike.
    func isSame(as other: _RawValue) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.word(let left), .word(let right)): left == right
        case (.bytes(let left), .bytes(let right)): left.isSame(as: right)
        default: false
        }
    }
}
