import TravertineStore

/// The level of each category, in four bits of one word.
struct LogThresholds: Sendable {
    /// The names of the categories; the position of a name is that of its bits.
    private static let names =
        Category.allCases.map(\.rawValue) + Category.Storage.allCases.map(\.rawValue)
    private static let bitCount: UInt32 = 4
    private static let mask: UInt32 = 1 << bitCount - 1

    /// The bits of `Category.Storage.all`, and of `Category.Storage.notification`.
    static let storage = shift(of: Category.Storage.all)
    static let notification = shift(of: Category.Storage.notification)

    private(set) var word: UInt32

    init(word: UInt32) { self.word = word }

    /// One level for all.
    init(_ level: LogLevel) {
        word = 0
        set(level, for: Category.realm)
    }

    /// Where the bits of a category are. Stops for one that is not the library's.
    static func shift(of category: any LogCategory) -> UInt32 {
        guard let position = names.firstIndex(of: category.rawValue) else {
            misuse(
                "There is no log category '\(category.rawValue)': use a case of `Category` or of "
                    + "`Category.Storage`.")
        }
        return UInt32(position) * bitCount
    }

    func level(for category: any LogCategory) -> LogLevel {
        LogLevel(rawValue: UInt(word >> Self.shift(of: category) & Self.mask)) ?? .off
    }

    /// Sets the level of a category, and of all that it contains.
    mutating func set(_ level: LogLevel, for category: any LogCategory) {
        let shift = Self.shift(of: category)
        for (position, name) in Self.names.enumerated() {
            let bits = UInt32(position) * Self.bitCount
            guard bits == shift || name.hasPrefix(category.rawValue + ".") else { continue }
            word = word & ~(Self.mask << bits) | UInt32(level.rawValue) << bits
        }
    }

    /// Whether messages of a level are wanted, in a category by its bits.
    func includes(_ level: LogLevel, at shift: UInt32) -> Bool {
        word >> shift & Self.mask >= UInt32(level.rawValue)
    }
}
