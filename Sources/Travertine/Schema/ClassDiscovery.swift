import CPlatform

#if canImport(ObjectiveC)
    import ObjectiveC
#endif

/// Finds every class of the process that is derived from `Object`, without registration.
///
/// On Linux the runtime lists the type records of all loaded images; records of generic classes and
/// of classes without superclass are skipped before anything is made of them.
enum ClassDiscovery {
    /// The classes that belong to realms which don't list theirs, those of the library itself left
    /// out.
    static func allClasses() -> [ObjectBase.Type] {
        var found: [ObjectBase.Type] = []
        forEachClass { type in
            guard let type = type as? ObjectBase.Type, !isLibraryClass(type) else { return }
            if !found.contains(where: { $0 == type }) { found.append(type) }
        }
        return found.filter { type in
            type.shouldIncludeInDefaultSchema() && !isAbstract(type, found)
        }
    }

    /// Whether a class has no properties and others are derived from it: it says something for
    /// these and has nothing to store.
    private static func isAbstract(_ type: ObjectBase.Type, _ all: [ObjectBase.Type]) -> Bool {
        let info = ClassInfo.of(type)
        return info.properties.isEmpty && info.inverses.isEmpty && info.unwrappedProperties.isEmpty
            && !info.hasHiddenFields && all.contains { $0 != type && type.isBase(of: $0) }
    }

    /// The classes with those of the library that they link to, which need not be listed.
    static func withLinkedLibraryClasses(_ classes: [ClassInfo]) -> [ClassInfo] {
        let point = CanonicalGeoPoint.self
        let isLinked = classes.contains { info in
            info.properties.contains { $0.type.targetClass == point }
        }
        guard isLinked, !classes.contains(where: { $0.type == point }) else { return classes }
        return classes + [ClassInfo.of(point)]
    }

    /// A class with those that its properties lead to, at any distance, which belong to the same
    /// realm: without `opened`.
    static func newClasses(from first: ClassInfo, besides opened: [ClassInfo]) -> [ClassInfo] {
        var seen = Set(opened.map { ObjectIdentifier($0.type) })
        var found: [ClassInfo] = []
        var pending = [first]
        while let info = pending.popLast() {
            guard !isLibraryClass(info.type), seen.insert(ObjectIdentifier(info.type)).inserted
            else { continue }
            found.append(info)
            let linked =
                info.properties.compactMap(\.type.targetClass)
                + info.inverses.compactMap { $0.valueType._storedType.targetClass }
            pending += linked.map { ClassInfo.of($0) }
        }
        return found
    }

    private static func isLibraryClass(_ type: ObjectBase.Type) -> Bool {
        type == ObjectBase.self || type == Object.self || type == EmbeddedObject.self
            || type == AsymmetricObject.self || type == DynamicObject.self
            || type == CanonicalGeoPoint.self
    }

    #if canImport(ObjectiveC)
        private static func forEachClass(_ body: (AnyClass) -> Void) {
            var count: UInt32 = 0
            guard let classes = objc_copyClassList(&count) else { return }
            defer { free(UnsafeMutableRawPointer(classes)) }
            for index in 0..<Int(count) where isDerivedFromObject(classes[index]) {
                body(classes[index])
            }
        }

        private static func isDerivedFromObject(_ type: AnyClass) -> Bool {
            var ancestor: AnyClass? = class_getSuperclass(type)
            while let current = ancestor {
                if current == ObjectBase.self { return true }
                ancestor = class_getSuperclass(current)
            }
            return false
        }
    #else
        private static func forEachClass(_ body: (AnyClass) -> Void) {
            withoutActuallyEscaping(body) { body in
                var visitor = Visitor(body: body)
                withUnsafeMutablePointer(to: &visitor) { pointer in
                    _ = travertine_for_each_type_section(
                        { start, byteCount, context in
                            guard let start, let context else { return }
                            let visitor = context.assumingMemoryBound(to: Visitor.self).pointee
                            ClassDiscovery.visit(start, byteCount, visitor.body)
                        }, pointer)
                }
            }
        }

        private struct Visitor {
            var body: (AnyClass) -> Void
        }

        /// Invariant: `start` is a section of type records, each a 32-bit relative pointer whose
        /// two low bits say whether it is direct (0) or leads through another pointer (1).
        private static func visit(
            _ start: UnsafeRawPointer, _ byteCount: Int, _ body: (AnyClass) -> Void
        ) {
            for offset in stride(from: 0, to: byteCount - 3, by: 4) {
                let record = start + offset
                let relative = record.load(as: Int32.self)
                if relative & 3 > 1 { continue }
                var descriptor = record + Int(relative & ~3)
                if relative & 3 == 1 {
                    guard let target = descriptor.load(as: UnsafeRawPointer?.self) else { continue }
                    descriptor = target
                }
                if let type = classType(of: descriptor) { body(type) }
            }
        }

        /// The class of a context descriptor: kind 16, not generic, with a superclass.
        private static func classType(of descriptor: UnsafeRawPointer) -> AnyClass? {
            let flags = descriptor.load(as: UInt32.self)
            guard flags & 0x1F == 16, flags & 0x80 == 0,
                descriptor.load(fromByteOffset: 20, as: Int32.self) != 0
            else { return nil }
            let relative = descriptor.load(fromByteOffset: 12, as: Int32.self)
            if relative == 0 { return nil }
            typealias Accessor = @convention(c) (Int) -> UnsafeRawPointer
            let accessor = unsafeBitCast(descriptor + 12 + Int(relative), to: Accessor.self)
            return unsafeBitCast(accessor(0), to: Any.Type.self) as? AnyClass
        }
    #endif
}
