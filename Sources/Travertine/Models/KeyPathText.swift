import CPlatform

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Key paths as messages print them: `Dog.owner?.isOld`.
///
/// The standard library knows the names of stored properties, and prints the addresses of
/// accessors, which all persisted and computed properties have, unless a program exports their
/// symbols. The symbol table of the executable has their names, unless it was stripped.
enum KeyPathText {
    /// The text of a key path; without symbols, the types of properties are in place of their
    /// names.
    static func text(of keyPath: AnyKeyPath) -> String {
        var rest = Substring("\(keyPath)")
        if rest.first == "\\" { rest.removeFirst() }
        var text = ""
        while let range = rest.firstRange(of: "<computed 0x") {
            text += rest[..<range.lowerBound]
            rest = rest[range.upperBound...]
            let digits = rest.prefix(while: \.isHexDigit)
            let type = enclosed(&rest)
            text += name(at: UInt(digits, radix: 16)) ?? "<a property of type \(type)>"
        }
        text += rest
        // What follows an optional is optional itself: no part of the name.
        while let last = text.last, last == "?" || last == "!" { text.removeLast() }
        return text
    }

    /// Takes what is between the next pair of parentheses, and the bracket after it.
    private static func enclosed(_ rest: inout Substring) -> Substring {
        guard let start = rest.firstIndex(of: "(") else { return "" }
        var depth = 0
        var end = start
        while end < rest.endIndex {
            if rest[end] == "(" { depth += 1 }
            if rest[end] == ")" { depth -= 1 }
            if depth == 0 { break }
            end = rest.index(after: end)
        }
        let inner = rest[rest.index(after: start)..<end]
        rest = rest[end...].dropFirst()
        if rest.first == ">" { rest.removeFirst() }
        return inner
    }

    /// The name of the property whose accessor is at an address.
    private static func name(at address: UInt?) -> String? {
        guard let pointer = address.flatMap({ UnsafeRawPointer(bitPattern: $0) }) else {
            return nil
        }
        let symbol = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            travertine_symbol_name(pointer, buffer.baseAddress, buffer.count) == 0
                ? buffer.baseAddress.map { String(cString: $0) } : nil
        }
        guard let symbol, let demangled = demangled(symbol) else { return nil }
        return propertyName(demangled)
    }

    /// The property in "key path getter for Pets.Dog.isOld : Swift.Bool : Pets.Dog".
    static func propertyName(_ demangled: String) -> String? {
        guard let accessor = demangled.firstRange(of: " for "),
            let end = demangled[accessor.upperBound...].firstRange(of: " : ")
        else { return nil }
        let path = demangled[accessor.upperBound..<end.lowerBound]
        // Subscripts have types with points in them.
        guard !path.contains("("), let name = path.split(separator: ".").last else { return nil }
        return String(name)
    }

    private static func demangled(_ symbol: String) -> String? {
        guard let text = swiftDemangle(symbol, symbol.utf8.count, nil, nil, 0) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}

/// The runtime's own demangler, which the standard library has and does not declare.
@_silgen_name("swift_demangle")
private func swiftDemangle(
    _ name: UnsafePointer<CChar>, _ byteCount: Int, _ output: UnsafeMutablePointer<CChar>?,
    _ outputByteCount: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
