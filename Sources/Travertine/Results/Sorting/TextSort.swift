/// Sorts texts that begin alike, by eight bytes at a time; equal ones stay as they are.
///
/// Each text is read once for every eight bytes that it has in common with others, and not for each
/// comparison.
struct TextSort {
    typealias Item = PrefixSort.Item

    private let texts: UnsafeBufferPointer<UnsafeRawBufferPointer>
    private let ascending: Bool
    /// Fewer are sorted by comparing prefixes, more by their digits.
    private static let comparedCountMax = 2048
    /// Texts that have so many bytes in common are compared: each step is a level on the stack.
    private static let offsetMax = 256

    /// - Parameter texts: those at the positions of items; the first eight bytes of all are alike.
    init(_ texts: UnsafeBufferPointer<UnsafeRawBufferPointer>, ascending: Bool) {
        self.texts = texts
        self.ascending = ascending
    }

    func sort(_ items: UnsafeMutableBufferPointer<Item>) { sort(items, from: 8) }

    /// Sorts items whose texts have the bytes before a place in common, zeros after the end of a
    /// shorter one included.
    private func sort(_ items: UnsafeMutableBufferPointer<Item>, from offset: Int) {
        if items.count < 2 { return }
        if offset >= Self.offsetMax { return sortByComparing(items) }
        var hasMore = false
        for position in items.indices {
            let text = texts[items[position].position]
            hasMore = hasMore || text.count > offset
            items[position].prefix = prefix(text, offset)
        }
        // These differ by zeros at the end only.
        if !hasMore { return sortByCount(items) }
        if items.count <= Self.comparedCountMax {
            var compared = items
            compared.sort { (left: Item, right: Item) -> Bool in
                if left.prefix != right.prefix { return left.prefix < right.prefix }
                return left.position < right.position
            }
        } else {
            withUnsafeTemporaryAllocation(of: Item.self, capacity: items.count) { scratch in
                scratch.initialize(repeating: Item(prefix: 0, position: 0))
                PrefixSort.sort(items, scratch)
            }
        }
        var start = 0
        for position in items.indices
        where position + 1 == items.count || items[position + 1].prefix != items[position].prefix {
            if position > start {
                sort(
                    UnsafeMutableBufferPointer(rebasing: items[start...position]),
                    from: offset + 8)
            }
            start = position + 1
        }
    }

    private func sortByComparing(_ items: UnsafeMutableBufferPointer<Item>) {
        var compared = items
        compared.sort { (left: Item, right: Item) -> Bool in
            let order = texts[left.position].order(to: texts[right.position])
            return order == 0 ? left.position < right.position : (order < 0) == ascending
        }
    }

    private func sortByCount(_ items: UnsafeMutableBufferPointer<Item>) {
        var compared = items
        compared.sort { (left: Item, right: Item) -> Bool in
            let (first, second) = (texts[left.position].count, texts[right.position].count)
            if first != second { return (first < second) == ascending }
            return left.position < right.position
        }
    }

    /// The eight bytes from a place on, as far as there are any.
    private func prefix(_ text: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        let rest = UnsafeRawBufferPointer(rebasing: text[min(offset, text.count)...])
        let prefix = RowSorter.prefix(of: rest)
        return ascending ? prefix : ~prefix
    }
}
