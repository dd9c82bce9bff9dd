import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The user that a server runs as: PostgreSQL refuses to run as root.
struct ServerUser {
    /// Another user than that of the tests; nil if the tests are not run by root.
    private let other: (name: String, number: uid_t, group: gid_t)?

    /// - Throws: `ServerFailure` if the tests are run by root and there is nobody else.
    init() throws {
        guard getuid() == 0 else {
            other = nil
            return
        }
        for name in ["postgres", "nobody"] {
            if let entry = getpwnam(name) {
                other = (name, entry.pointee.pw_uid, entry.pointee.pw_gid)
                return
            }
        }
        throw ServerFailure("root cannot run a server, and there is no user postgres or nobody")
    }

    /// The command that runs a command as this user.
    func command(_ command: [String]) -> [String] {
        guard let other else { return command }
        let setpriv = "/usr/bin/setpriv"
        if FileManager.default.isExecutableFile(atPath: setpriv) {
            return [
                setpriv, "--reuid=\(other.number)", "--regid=\(other.group)", "--clear-groups",
            ] + command
        }
        return ["runuser", "-u", other.name, "--"] + command
    }

    /// Gives the user a directory.
    func own(_ path: String) {
        if let other { chown(path, other.number, other.group) }
    }
}
