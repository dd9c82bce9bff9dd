/// The part of a text that shows what a query found.
extension FullTextQuery {
    /// The part of a text with the most of what the query looks for, which is marked.
    ///
    /// What is found in phrases is marked as a whole. If nothing is found, it is the beginning of
    /// the text. Nothing is escaped: escape the text before if the marks are HTML.
    ///
    /// - Parameters:
    ///   - text: the whole text.
    ///   - wordCount: how many words are shown on both sides of what is found; of the tokenizers
    ///     other than `.words` these are characters.
    ///   - tokenizer: the one of the property that the text is from.
    ///   - marks: what is put before and after what is found.
    ///   - ellipsis: what is put in place of the text before and after the part.
    public func snippet(
        of text: String, around wordCount: Int = 8, tokenizer: FullTextTokenizer = .words,
        marks: (before: String, after: String) = ("<b>", "</b>"), ellipsis: String = "…"
    ) -> String {
        let matcher = FullTextMatcher(FullTextPattern(self, tokenizer))
        var text = text
        return text.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            let (found, units) = matcher.occurrences(in: bytes)
            guard !units.isEmpty else { return String(decoding: bytes, as: UTF8.self) }
            let marked = Self.merged(found)
            let around = min(max(0, wordCount), units.count)
            let window = Self.window(marked, units.count, around: around)
            return Self.text(bytes, units, marked, window, marks, ellipsis)
        }
    }

    /// Ranges in their order, those that overlap as one.
    private static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var merged: [Range<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound < last.upperBound {
                merged[merged.count - 1] =
                    last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged
    }

    /// The units that are shown: so many on both sides of the first of those ranges that lie close
    /// together, where the most of them do.
    private static func window(
        _ marked: [Range<Int>], _ unitCount: Int, around: Int
    ) -> Range<Int> {
        var best = 0..<min(unitCount, 2 * around + 1)
        var bestCount = 0
        var end = 0
        for (position, first) in marked.enumerated() {
            let limit = first.upperBound + around
            end = max(end, position)
            while end < marked.count, marked[end].upperBound <= limit { end += 1 }
            if end - position > bestCount {
                bestCount = end - position
                best = max(0, first.lowerBound - around)..<min(unitCount, limit)
            }
        }
        return best
    }

    private static func text(
        _ bytes: UnsafeRawBufferPointer, _ units: [Range<Int>], _ marked: [Range<Int>],
        _ window: Range<Int>, _ marks: (before: String, after: String), _ ellipsis: String
    ) -> String {
        func part(_ range: Range<Int>) -> String {
            range.isEmpty ? "" : String(decoding: bytes[range], as: UTF8.self)
        }
        let isFirst = window.lowerBound == 0
        let isLast = window.upperBound >= units.count
        var text = isFirst ? "" : ellipsis
        var place = isFirst ? 0 : units[window.lowerBound].lowerBound
        for range in marked {
            let shown = range.clamped(to: window)
            if shown.isEmpty { continue }
            // Several units can be of one character.
            let start = max(place, units[shown.lowerBound].lowerBound)
            let end = max(start, units[shown.upperBound - 1].upperBound)
            if start == end { continue }
            text += part(place..<start) + marks.before + part(start..<end) + marks.after
            place = end
        }
        let end = isLast ? bytes.count : units[window.upperBound - 1].upperBound
        text += part(place..<max(place, end))
        return isLast ? text : text + ellipsis
    }
}
