import Foundation
import RealmSwift

@testable import Travertine

/// Comparisons of texts and bytes for the plain evaluator (Q5, Q10, Q11).
enum PlainText {
    /// The text with case and marks taken out as the options say.
    static func folded(_ text: String, _ options: StringOptions) -> String {
        var text = text
        if options.contains(.caseInsensitive) {
            text = text.unicodeScalars.map(\.properties.lowercaseMapping).joined()
        }
        if options.contains(.diacriticInsensitive) {
            let decomposed = text.decomposedStringWithCanonicalMapping.unicodeScalars
            let kept = decomposed.filter { $0.properties.generalCategory != .nonspacingMark }
            text = String(String.UnicodeScalarView(kept))
        }
        return text
    }

    /// -1, 0 or 1.
    static func order(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Int {
        if left.lexicographicallyPrecedes(right) { return -1 }
        return right.lexicographicallyPrecedes(left) ? 1 : 0
    }

    static func holds(
        _ operation: Comparison.Operation, _ bytes: [UInt8], _ part: [UInt8]
    ) -> Bool {
        switch operation {
        case .beginsWith: bytes.starts(with: part)
        case .endsWith: bytes.reversed().starts(with: part.reversed())
        case .contains:
            part.count <= bytes.count
                && (0...(bytes.count - part.count)).contains {
                    bytes[$0...].starts(with: part)
                }
        default: false
        }
    }

    private enum Piece: Equatable {
        case scalar(Unicode.Scalar)
        case one
        case many
    }

    private static func pieces(_ pattern: String) -> [Piece] {
        var pieces: [Piece] = []
        var scalars = Array(pattern.unicodeScalars)[...]
        while let scalar = scalars.popFirst() {
            switch scalar {
            case "?": pieces.append(.one)
            case "*": pieces.append(.many)
            case "\\":
                if let next = scalars.first, "?*\\".unicodeScalars.contains(next) {
                    pieces.append(.scalar(next))
                    scalars = scalars.dropFirst()
                } else {
                    pieces.append(.scalar(scalar))
                }
            default: pieces.append(.scalar(scalar))
            }
        }
        return pieces
    }

    /// Whether the whole text matches a pattern of `?` and `*`.
    static func isLike(_ text: String, _ pattern: String, _ options: StringOptions) -> Bool {
        let scalars = Array(folded(text, options).unicodeScalars)
        let pieces = pieces(folded(pattern, options))
        var results: [Int: Bool] = [:]
        func matches(_ position: Int, _ piece: Int) -> Bool {
            if piece == pieces.count { return position == scalars.count }
            let place = position * (pieces.count + 1) + piece
            if let result = results[place] { return result }
            let isAtEnd = position == scalars.count
            let result =
                switch pieces[piece] {
                case .many:
                    matches(position, piece + 1) || !isAtEnd && matches(position + 1, piece)
                case .one: !isAtEnd && matches(position + 1, piece + 1)
                case .scalar(let scalar):
                    !isAtEnd && scalars[position] == scalar && matches(position + 1, piece + 1)
                }
            results[place] = result
            return result
        }
        return matches(0, 0)
    }
}
