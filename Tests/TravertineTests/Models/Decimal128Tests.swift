import Foundation
import TestSupport
import Testing

@testable import Travertine

@Suite("Decimal128")
struct Decimal128Tests {
    @Test("every result equals that in the committed table of Python's results, to the bit")
    func committedTable() throws {
        let table = try String(
            contentsOf: DecimalOracle.folder.appending(path: "cases.txt"), encoding: .utf8)
        let lines = table.split(separator: "\n")
        #expect(lines.count > 1_900)
        for line in lines {
            let parts = line.components(separatedBy: " = ")
            try #require(parts.count == 2)
            #expect(DecimalOracle.answer(parts[0]) == parts[1], "\(parts[0])")
        }
    }

    @Test("random operands give Python's results, each to the bit")
    func pythonAgrees() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("Decimal128 against Python, seed \(seed)")
        var random = SeededRandom(seed: seed)
        let questions = (0..<40_000).map { _ in DecimalOracle.randomQuestion(&random) }
        guard let answers = try DecimalOracle.askPython(questions) else {
            print("Decimal128 was not checked against Python: there is no python3 here.")
            return
        }
        try #require(answers.count == questions.count)
        for (question, answer) in zip(questions, answers) {
            #expect(DecimalOracle.answer(question) == answer, "seed \(seed): \(question)")
        }
    }

    @Test("members of a cohort are equal, hash equally, and keep their digits")
    func cohorts() {
        let members: [Decimal128] = ["1", "1.0", "1.000", "10E-1", "1000E-3"]
        #expect(Set(members).count == 1)
        #expect(Set(members.map(\.orderingKey)).count == 1)
        #expect(members.map(\.description) == ["1", "1.0", "1.000", "1.0", "1.000"])
        let zero: Decimal128 = 0
        let negativeZero: Decimal128 = "-0E+10"
        #expect(zero == negativeZero && negativeZero.isSigned && !zero.isSigned)
        #expect(zero.hashValue == negativeZero.hashValue)
    }

    @Test("NaN equals NaN and comes before all numbers")
    func nanOrder() throws {
        let ascending: [Decimal128] = [
            .nan, -.infinity, .min, "-1", "-1E-6176", "0", "1E-6176", "0.1", "1", .max, .infinity,
        ]
        for (index, left) in ascending.enumerated() {
            for (other, right) in ascending.enumerated() {
                #expect((left < right) == (index < other))
                #expect((left == right) == (index == other))
            }
        }
        #expect(try Decimal128(string: "sNaN7") == .nan)
        #expect(try Decimal128(string: "-NaN") == .nan)
    }

    @Test("texts that are no decimals throw, and so do those that would be rounded")
    func badTexts() {
        for text in [
            "", " 1", "1 ", "+", ".", "-.", "1.2.3", "1e", "1e+", "e5", "1_000", "0x10", "١",
            "inf5", "infinit", "nanx", "NaN1000000000000000000000000000000000", "--1", "1e5e5",
            "12345678901234567890123456789012345", "1E+6145", "1E-6177", "1e9999999999999999999",
        ] {
            #expect(throws: Realm.Error.self, "\(text)") { try Decimal128(string: text) }
        }
        #expect(Decimal128(rounding: "1E+6145") == .infinity)
        #expect(Decimal128(rounding: "1e-99999999999999999999")?.isZero == true)
        #expect(
            Decimal128(rounding: "12345678901234567890123456789012345")?.description
                == "1.234567890123456789012345678901234E+34")
        #expect(Decimal128(rounding: "x") == nil)
    }

    @Test("texts with many zeros are exact")
    func longTexts() throws {
        let zeros = String(repeating: "0", count: 100)
        #expect(try Decimal128(string: zeros + "1." + zeros) == 1)
        #expect(try Decimal128(string: "." + zeros + "1").description == "1E-101")
        #expect(try Decimal128(string: "1" + zeros) == Decimal128(string: "1E100"))
    }

    @Test("integers and floating-point numbers convert both ways")
    func conversions() throws {
        #expect(Decimal128(Int64.min).description == "-9223372036854775808")
        #expect(Decimal128(UInt64.max).int64Value == nil)
        #expect(UInt64(exactly: Decimal128(UInt64.max)) == .max)
        #expect(Int(exactly: "1.5" as Decimal128) == nil)
        #expect(Int(exactly: "1.50E+2" as Decimal128) == 150)
        #expect(("-1.9" as Decimal128).int64Value == -1)
        #expect(("1E+40" as Decimal128).int64Value == nil)
        #expect(("1E-6176" as Decimal128).int64Value == 0)
        #expect(
            Int8(exactly: 128 as Decimal128) == nil && Int8(exactly: -128 as Decimal128) == -128)
        #expect(Decimal128.nan.int64Value == nil && Decimal128.infinity.int64Value == nil)
        #expect(Decimal128(exactly: UInt128.max) == nil)
        #expect((0.1 as Decimal128).description == "0.1")
        #expect(Decimal128(Float(0.1)).description == "0.1")
        #expect(Decimal128(1e300).description == "1E+300" && Decimal128(5.0).description == "5")
        #expect(Decimal128(-0.0).isSigned && Decimal128(Double.nan).isNaN)
        #expect(("1E+400" as Decimal128).doubleValue == .infinity)
        #expect(("0.1" as Decimal128).doubleValue == 0.1)
        #expect(Decimal128(number: 7) == 7 && Decimal128(number: 2.5) == "2.5")
        #expect(Decimal128(value: "12.50").description == "12.50")
        #expect(Decimal128.converted(from: [1]) == nil)
    }

    @Test("Foundation's Decimal converts both ways where it can")
    func foundationDecimal() throws {
        let price = try #require(Decimal(string: "-19.95"))
        #expect(Decimal128(price) == "-19.95" && Decimal128(number: price) == "-19.95")
        #expect(("-19.95" as Decimal128).decimalValue == price)
        #expect(("1E+200" as Decimal128).decimalValue == nil)
        #expect(Decimal128.infinity.decimalValue == nil)
        #expect(Decimal128.max.decimalValue == nil)
    }

    @Test("coding goes through text; numbers decode too")
    func coding() throws {
        let values: [Decimal128] = ["1.50", "-1E-6176", .infinity]
        let data = try JSONEncoder().encode(values)
        #expect(String(decoding: data, as: UTF8.self) == #"["1.50","-1E-6176","Infinity"]"#)
        #expect(
            try JSONDecoder().decode([Decimal128].self, from: data).map(\.description)
                == ["1.50", "-1E-6176", "Infinity"])
        #expect(
            try JSONDecoder().decode([Decimal128].self, from: Data("[3, 0.5]".utf8))
                == [3, 0.5])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Decimal128].self, from: Data("[true]".utf8))
        }
    }

    @Test("random bit patterns are numbers that print, compare, compute and read back")
    func everyPattern() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("Decimal128 patterns, seed \(seed)")
        var random = SeededRandom(seed: seed)
        for _ in 0..<20_000 {
            let number = Decimal128(bits: (random.next(), random.next()))
            let read = try Decimal128(string: number.description)
            #expect(read == number && read.orderingKey == number.orderingKey)
            #expect(read.description == number.description)
            #expect(number - number == 0 || !number.isFinite)
            #expect(number.magnitude.isSigned == false && (-number).isSigned != number.isSigned)
            _ = (number.doubleValue, number.int64Value, number * number, number / number)
        }
    }
}

/// Questions about decimals, answered by this implementation and by Python's.
enum DecimalOracle {
    static let folder = ProjectFiles.url("Tests/TravertineTests/Decimals")

    static func answer(_ question: String) -> String {
        let words = question.split(separator: " ", omittingEmptySubsequences: false)
        if words[0] == "parse" { return parsed(String(words[1])) }
        let numbers = words.dropFirst().map { decode($0) }
        switch words[0] {
        case "add": return encode(numbers[0] + numbers[1])
        case "subtract": return encode(numbers[0] - numbers[1])
        case "multiply": return encode(numbers[0] * numbers[1])
        case "divide": return encode(numbers[0] / numbers[1])
        case "order":
            if numbers[0] == numbers[1] { return "0" }
            return numbers[0] < numbers[1] ? "-1" : "1"
        case "text": return numbers[0].description
        case "double": return hexadecimal(numbers[0].doubleValue)
        default: return "unknown"
        }
    }

    private static func parsed(_ text: String) -> String {
        guard let number = Decimal128(rounding: text) else { return "no decimal" }
        let isExact = (try? Decimal128(string: text)) != nil
        return encode(number) + (isExact ? " exact" : " rounded")
    }

    private static func decode(_ text: Substring) -> Decimal128 {
        let word = UInt128(text, radix: 16) ?? 0
        return Decimal128(
            bits: (UInt64(truncatingIfNeeded: word), UInt64(truncatingIfNeeded: word >> 64)))
    }

    private static func encode(_ number: Decimal128) -> String {
        let word = String(UInt128(number.bits.high) << 64 | UInt128(number.bits.low), radix: 16)
        return String(repeating: "0", count: 32 - word.count) + word + " " + number.description
    }

    /// A number as Python's `float.hex` prints it.
    private static func hexadecimal(_ number: Double) -> String {
        if number.isNaN { return "nan" }
        let sign = number.sign == .minus ? "-" : ""
        if number.isInfinite { return sign + "inf" }
        if number == 0 { return sign + "0x0.0p+0" }
        let fraction = String(number.significandBitPattern, radix: 16)
        let digits = String(repeating: "0", count: 13 - fraction.count) + fraction
        let exponent = number.isNormal ? Int(number.exponent) : -1022
        return "\(sign)0x\(number.isNormal ? 1 : 0).\(digits)p\(exponent < 0 ? "" : "+")\(exponent)"
    }

    static func randomQuestion(_ random: inout SeededRandom) -> String {
        let operation = random.pick(["add", "subtract", "multiply", "divide", "order", "double"])
        let operands = operation == "double" ? 1 : 2
        return ([operation] + (0..<operands).map { _ in randomOperand(&random) })
            .joined(separator: " ")
    }

    private static func randomOperand(_ random: inout SeededRandom) -> String {
        if random.chance(10) { return hex(random.next(), random.next()) }
        let digits = 1 + random.below(34)
        var coefficient =
            (UInt128(random.next()) << 64 | UInt128(random.next()))
            % PowersOfTen[digits]
        if random.chance(15) { coefficient = PowersOfTen[digits] - 1 }
        if random.chance(15) { coefficient = PowersOfTen[digits - 1] * UInt128(random.below(10)) }
        let spread = random.pick([3, 40, 80, 6111])
        var exponent = random.below(2 * spread) - spread
        if random.chance(15) { exponent = random.chance(50) ? 6111 - digits : -6176 + digits }
        let number = Decimal128(
            Decimal128.Finite(
                isNegative: random.chance(50), coefficient: coefficient, exponent: exponent))
        return hex(number.bits.high, number.bits.low)
    }

    private static func hex(_ high: UInt64, _ low: UInt64) -> String {
        [high, low].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// The answers of the script beside this file; nil where there is no python3.
    static func askPython(_ questions: [String]) throws -> [String]? {
        let run = try CommandRun(
            found: "python3", [folder.appending(path: "decimal128.py").path],
            input: questions.joined(separator: "\n") + "\n")
        if run.status == 127 { return nil }
        try #require(run.status == 0, "\(run.errors)")
        return run.lines
    }
}
