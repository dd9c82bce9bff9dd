import CLibPQ

/// One element of libpq's lists of options.
struct ConninfoOption {
    let keyword: String
    let value: String?
    let isSecret: Bool

    /// Copies a list that libpq allocated, and frees it.
    static func all(consuming list: UnsafeMutablePointer<PQconninfoOption>) -> [ConninfoOption] {
        defer { PQconninfoFree(list) }
        var options: [ConninfoOption] = []
        var next = list
        while let keyword = next.pointee.keyword {
            options.append(
                ConninfoOption(
                    keyword: String(cString: keyword),
                    value: next.pointee.val.map { String(cString: $0) },
                    // libpq marks what a dialog must hide with an asterisk.
                    isSecret: next.pointee.dispchar.map { $0.pointee == 0x2a } ?? false))
            next += 1
        }
        return options
    }
}
