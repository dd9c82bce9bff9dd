import Foundation

/// The desktop, where there is one.
enum Desktop {
    /// Opens an address in the user's browser; without a desktop does nothing.
    ///
    /// - Parameter address: makes it; not called where nothing is opened.
    /// - Returns: the file that the browser was given.
    static func open(_ address: () -> String) -> RedirectFile? {
        #if os(macOS)
            let program = "/usr/bin/open"
        #else
            let environment = ProcessInfo.processInfo.environment
            guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil,
                let program = environment["PATH"]?.split(separator: ":").map({ "\($0)/xdg-open" })
                    .first(where: FileManager.default.isExecutableFile(atPath:))
            else { return nil }
        #endif
        guard let page = RedirectFile(to: address()) else { return nil }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [page.path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        // The address is printed as well.
        try? process.run()
        return page
    }
}

/// A file that only this user can read, and that sends a browser to an address.
///
/// A command line is seen by other users in the list of processes; with the file's path in it they
/// have nothing.
struct RedirectFile: Sendable {
    let path: String

    /// Writes the file; nil if that fails.
    ///
    /// - Parameter address: with no character that must be escaped in HTML or a URL.
    init?(to address: String) {
        path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("travertine-studio-\(UUID().uuidString).html").path
        let text = """
            <!doctype html><meta charset="utf-8"><title>Travertine Studio</title>
            <meta http-equiv="refresh" content="0;url=\(address)">

            """
        let file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard file >= 0 else { return nil }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        guard (try? handle.write(contentsOf: Data(text.utf8))) != nil else {
            remove()
            return nil
        }
    }

    func remove() { unlink(path) }
}
