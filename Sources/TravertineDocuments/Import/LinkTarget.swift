/// What a link names: a type and a primary key as links are written down by it.
struct LinkTarget: Hashable {
    let type: String
    let key: [UInt8]

    init(_ type: String, _ key: [UInt8]) {
        self.type = type
        self.key = key
    }
}
