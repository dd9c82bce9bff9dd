/// What a row is made of: a typed object, values by name, or a draft of a document or struct.
///
/// It may be read several times: a value that does not fit the layout widens the layout, and
/// encoding begins again.
protocol RowSource {
    /// Whether it has a value for a slot. A row that is replaced keeps the others, and a new one
    /// has their defaults.
    func hasValue(at slot: Int) -> Bool

    /// Stores what is not in the row itself: the nodes of large collections, nested collections,
    /// and the links of elements. Called once, before the row is encoded and after what the row
    /// owned before was released.
    func storePieces(of key: UInt64, _ writer: RowWriter) throws

    /// Puts the value of a slot that it has.
    func encode(_ slot: Int, into encoder: _RowEncoder)
}
