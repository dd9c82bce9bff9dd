/// Stored values by slot, as the source of the row of an object that is made by name. Collections,
/// links and values of any type are set after the row is there.
struct ConstantSource: RowSource {
    let constants: [RawConstant]

    func hasValue(at slot: Int) -> Bool { true }

    func storePieces(of key: UInt64, _ writer: RowWriter) throws {}

    func encode(_ slot: Int, into encoder: _RowEncoder) {
        constants[slot].withRaw { encoder.put($0, at: slot) }
    }
}
