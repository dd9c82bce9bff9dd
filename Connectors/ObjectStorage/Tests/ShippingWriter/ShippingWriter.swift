import Foundation
import TravertineStore

/// Commits numbered entries to a store, and prints the number of each when it is durable, with the
/// time, until it is killed: `shipping-writer STORE FIRST PAUSE-MILLISECONDS`.
@main
enum ShippingWriter {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, var number = Int(arguments[2]),
            let pause = UInt32(arguments[3])
        else { exit(64) }
        var options = StoreOptions()
        options.segmentByteCount = 256 << 10
        options.checkpointInterval = 1 << 20
        let store = try Store.open(at: arguments[1], options: options)
        while true {
            try store.write { transaction in
                try transaction.put(String(number), forKey: "newest")
                // Many keys are written again and again, so that there is something to compact.
                let text = String(repeating: "\(number) ", count: 1 + number * 7919 % 600)
                try transaction.put(text, forKey: "key \(number % 200)")
            }
            let milliseconds = Int64(Date().timeIntervalSince1970 * 1000)
            FileHandle.standardOutput.write(Data("\(number) \(milliseconds)\n".utf8))
            number += 1
            if pause > 0 { usleep(pause * 1000) }
        }
    }
}
