import Foundation

/// The desktop, where there is one.
enum Desktop {
    /// Opens an address in the user's browser; without a desktop does nothing.
    static func open(_ address: String) {
        #if os(macOS)
            let program = "/usr/bin/open"
        #else
            let environment = ProcessInfo.processInfo.environment
            guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil,
                let program = environment["PATH"]?.split(separator: ":").map({ "\($0)/xdg-open" })
                    .first(where: FileManager.default.isExecutableFile(atPath:))
            else { return }
        #endif
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [address]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        // The address is printed as well.
        try? process.run()
    }
}
