#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What distinguishes this machine from others of the same name, as far as the system says.
///
/// Machines that were made of one image often have one name, and process numbers that occur on all
/// of them. So a name alone does not show that a process of another number can be looked for here.
enum MachineIdentity {
    /// Random, for each start of the system; nil where it has none.
    static let boot = text(ofFile: "/proc/sys/kernel/random/boot_id")

    /// The same from one start to the next; nil where the machine has none, as in most containers.
    /// The system's own number is not shown to others, as its documentation demands.
    static let machine = text(ofFile: "/etc/machine-id").map { id in
        String(ContentHash(of: Array("travertine-ship \(id)".utf8)).text.prefix(16))
    }

    private static func text(ofFile path: String) -> String? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        let text = String(decoding: data.prefix { $0 > UInt8(ascii: " ") }, as: UTF8.self)
        // Where an image is prepared for copying the file says `uninitialized`.
        return text.utf8.count >= 32 ? text : nil
    }
}
