import Testing

@testable import Travertine

@Suite("Components of key paths")
struct KeyPathComponentsTests {
    private class Base {
        final var first: UInt8 = 1
        final var second = (1, 2)
        var computed: Int { second.0 }
        let constant = 7
    }
    private final class Derived<Value>: Base {
        var value: Value
        var last: UInt16 = 3
        init(_ value: Value) { self.value = value }
    }
    private final class Large {
        var part = Part()
        struct Part { var number = 1 }
    }

    private func offset<Root: AnyObject, Value>(
        _ path: ReferenceWritableKeyPath<Root, Value>, in object: Root
    ) -> Int {
        withUnsafeMutablePointer(to: &object[keyPath: path]) { address in
            UnsafeRawPointer(address)
                - UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
        }
    }

    @Test("the offset of a stored property is where the object has it")
    func offsets() {
        let base = Base()
        #expect(KeyPathComponent.storedOffset(of: \Base.first) == offset(\.first, in: base))
        #expect(KeyPathComponent.storedOffset(of: \Base.second) == offset(\.second, in: base))
        let derived = Derived("text")
        let value = \Derived<String>.value
        #expect(KeyPathComponent.storedOffset(of: value) == offset(value, in: derived))
        let last = \Derived<String>.last
        #expect(KeyPathComponent.storedOffset(of: last) == offset(last, in: derived))
        let number = Derived(1 as UInt8)
        #expect(
            KeyPathComponent.storedOffset(of: \Derived<UInt8>.last) == offset(\.last, in: number))
        let inherited = \Derived<UInt8>.second
        #expect(KeyPathComponent.storedOffset(of: inherited) == offset(inherited, in: number))
    }

    @Test("what is not one stored property of a class has no offset")
    func others() {
        #expect(KeyPathComponent.storedOffset(of: \Base.computed) == nil)
        #expect(KeyPathComponent.storedOffset(of: \Large.part.number) == nil)
        #expect(KeyPathComponent.storedOffset(of: \Large.Part.number) == nil)
        #expect(KeyPathComponent.storedOffset(of: \Base.self) == nil)
        #expect(KeyPathComponent.storedOffset(of: \[Int].[0]) == nil)
    }
}
