#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What distinguishes this machine from others of the same name, as far as the system says.
///
/// Machines that were made of one image often have one name, and process numbers that occur on all
/// of them. So a name alone does not show that a process of another number can be looked for here.
///
/// Nor do containers on one machine, which often all have its name, see each other's processes: in
/// each the first one has the number 1. So the namespace of the numbers is a part of both.
enum MachineIdentity {
    /// Random, for each start of the system; nil where it has none.
    static let boot = text(ofFile: "/proc/sys/kernel/random/boot_id").map { $0 + namespace }

    /// The same from one start to the next; nil where the machine has none, as in most containers.
    /// The system's own number is not shown to others, as its documentation demands.
    static let machine = text(ofFile: "/etc/machine-id").map { id in
        String(ContentHash(of: Array("travertine-ship \(id)\(namespace)".utf8)).text.prefix(16))
    }

    /// The namespace in which a process number is that of one process, as ` pid:[4026531836]`;
    /// empty where the system has none. Two that are there at the same time differ.
    private static let namespace =
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid"))
        .map { " \($0)" } ?? ""

    private static func text(ofFile path: String) -> String? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        let text = String(decoding: data.prefix { $0 > UInt8(ascii: " ") }, as: UTF8.self)
        // Where an image is prepared for copying the file says `uninitialized`.
        return text.utf8.count >= 32 ? text : nil
    }
}
