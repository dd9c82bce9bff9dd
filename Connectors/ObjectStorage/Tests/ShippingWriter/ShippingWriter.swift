import Foundation
import TravertineStore

/// Writes a store until it is killed, or fills one.
///
/// `shipping-writer STORE FIRST PAUSE` commits numbered entries, a pause of so many milliseconds
/// after each, and prints the number of each when it is durable, with the time.
/// `shipping-writer fill STORE COUNT` commits so many random values of 1 MiB, in transactions of
/// 16, and ends.
@main
enum ShippingWriter {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 3 else { exit(64) }
        if arguments.first == "fill" {
            guard let count = Int(arguments[3]) else { exit(64) }
            try fill(arguments[2], count: count)
        } else {
            guard let first = Int(arguments[2]), let pause = UInt32(arguments[3]) else { exit(64) }
            try write(arguments[1], from: first, pauseMilliseconds: pause)
        }
    }

    private static func write(
        _ path: String, from first: Int, pauseMilliseconds: UInt32
    ) throws {
        var options = StoreOptions()
        options.segmentByteCount = 256 << 10
        options.checkpointInterval = 1 << 20
        let store = try Store.open(at: path, options: options)
        var number = first
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
            if pauseMilliseconds > 0 { usleep(pauseMilliseconds * 1000) }
        }
    }

    private static func fill(_ path: String, count: Int) throws {
        let store = try Store.open(at: path)
        var generator = SystemRandomNumberGenerator()
        for start in stride(from: 0, to: count, by: 16) {
            try store.write { transaction in
                for number in start..<min(start + 16, count) {
                    var value: [UInt8] = []
                    value.reserveCapacity(1 << 20)
                    while value.count < 1 << 20 {
                        withUnsafeBytes(of: generator.next()) { value += $0 }
                    }
                    try transaction.put(value, forKey: "value \(number)")
                }
            }
        }
        try store.close()
    }
}
