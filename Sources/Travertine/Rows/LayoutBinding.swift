/// A layout as one table sees it: places by the table's slots and, for a class, by wrapper.
///
/// A slot is a property's position in its class. A wrapper's place is found by half its byte offset
/// in the instance, which the compiler knows; wrappers are at least two bytes apart.
final class LayoutBinding {
    let layout: Layout
    /// Places by slot.
    let places: UnsafeMutablePointer<_FieldOffset>
    /// Places by half of the wrapper's byte offset; nil if the table has no class.
    let placesByOffset: UnsafeMutablePointer<_FieldOffset>?
    let shapes: [PieceShape]
    /// Slots in the order in which an encoder must be given their values.
    let order: [Int]
    /// Whether the layout has every property of the table, and null only where the property can be
    /// nil, so that reads need no check.
    let isComplete: Bool
    /// The greatest end of a piece that the layout can express.
    let endMax: UInt64

    /// - Parameter isAsked: whether the class has wrappers that no place belongs to, so that reads
    ///   must ask.
    init(_ layout: Layout, slots: [TableSlot], isAsked: Bool = false) {
        self.layout = layout
        places = .allocate(capacity: max(1, slots.count))
        shapes = slots.map(\.type.shape)
        endMax = layout.endWidth == 1 ? 0xFF : layout.endWidth == 2 ? 0xFFFF : 0xFFFF_FFFF
        var order: [Int] = []
        var found = 0
        for (slot, info) in slots.enumerated() {
            let entry = layout.entries.first { $0.property == info.property }
            if let entry, entry.shape == info.type.shape {
                places[slot] = layout.place(of: entry)
                if info.isVarying { places[slot].flags |= _FieldOffset.varyingFlag }
                if entry.nullBit == 0 || info.type.isOptional { found += 1 }
            } else {
                places[slot] = .absent
            }
        }
        for entry in layout.entries {
            if let slot = slots.firstIndex(where: { $0.property == entry.property }) {
                order.append(slot)
            }
        }
        self.order = order
        isComplete = found == slots.count && !isAsked
        if let last = slots.compactMap(\.offset).max() {
            let memory = UnsafeMutablePointer<_FieldOffset>.allocate(capacity: last / 2 + 1)
            memory.initialize(repeating: .absent, count: last / 2 + 1)
            for (slot, info) in slots.enumerated() {
                if let offset = info.offset { memory[offset / 2] = places[slot] }
            }
            placesByOffset = memory
        } else {
            placesByOffset = nil
        }
    }

    deinit {
        places.deallocate()
        placesByOffset?.deallocate()
    }

    /// The value of a slot, or nil if rows of this layout don't have it.
    @inline(__always)
    func value(at slot: Int, in row: UnsafeRawBufferPointer) -> _RawValue? {
        let place = places[slot]
        guard !place.isAbsent, let base = row.baseAddress else { return nil }
        return place.value(in: base, byteCount: row.count, shape: shapes[slot])
    }
}

/// What pointing a handle to a row needs of a layout, without a reference to count.
struct LayoutAccess: BitwiseCopyable {
    /// The layout's number; -1 for none, which no row has.
    var number: Int32
    var fixedByteCount: Int
    var places: UnsafePointer<_FieldOffset>?
    var isComplete: Bool
    /// The layout; the owner of the access retains it.
    var binding: Unmanaged<LayoutBinding>?

    /// No layout.
    static var none: LayoutAccess {
        LayoutAccess(
            number: -1, fixedByteCount: 0, places: nil, isComplete: false, binding: nil)
    }
}

extension LayoutAccess {
    init(_ binding: LayoutBinding) {
        number = Int32(binding.layout.number)
        fixedByteCount = Int(binding.layout.fixedByteCount)
        places = binding.placesByOffset.map { UnsafePointer($0) }
        isComplete = binding.isComplete
        self.binding = Unmanaged.passUnretained(binding)
    }
}

/// A property of a table: where it is stored, and where its wrapper is.
struct TableSlot {
    /// The property's number within its type.
    var property: UInt32
    var type: _StoredType
    /// The wrapper's byte offset in instances of the class.
    var offset: Int?
    /// Whether it is a link whose value names the type of its object.
    var isVarying = false
}

extension TableSlot {
    /// A stored property, with the wrapper that a class has for it.
    init(_ property: StoredProperty, _ declared: ClassInfo.Property? = nil) {
        self.property = property.number
        isVarying = property.isVarying
        type = isVarying ? property.storedType : declared?.type ?? property.storedType
        offset = declared?.offset
    }
}
