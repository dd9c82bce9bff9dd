/// C strings for the duration of a call, ended by a null pointer.
struct CStringList {
    private var bytes: [CChar] = []
    private var offsets: [Int] = []

    /// The strings must not have U+0000 in them.
    init(_ strings: [String]) {
        for string in strings {
            offsets.append(bytes.count)
            for byte in string.utf8 { bytes.append(CChar(bitPattern: byte)) }
            bytes.append(0)
        }
    }

    func withPointers<Result>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        bytes.withUnsafeBufferPointer { bytes in
            var pointers: [UnsafePointer<CChar>?] = offsets.map { bytes.baseAddress! + $0 }
            pointers.append(nil)
            return pointers.withUnsafeBufferPointer { body($0.baseAddress!) }
        }
    }
}
