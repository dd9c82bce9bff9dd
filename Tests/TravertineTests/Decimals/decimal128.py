"""Answers questions about decimal128 with Python's own decimal arithmetic.

Reads lines "operation operand operand" and writes "result" for each. Operands are 32 hexadecimal
digits, the encoding with a binary coefficient, upper half first; results of arithmetic are the
same, a space, and the text. "cases SEED" as the only argument writes a table of questions with
their answers instead.
"""

import decimal
import random
import sys

CONTEXT = decimal.Context(
    prec=34, rounding=decimal.ROUND_HALF_EVEN, Emin=-6143, Emax=6144, clamp=1, traps=[])


def decode(text):
    word = int(text, 16)
    sign = word >> 127
    if word >> 122 & 0x1F == 0x1F:
        payload = word & (1 << 110) - 1
        digits = str(payload) if payload < 10**33 else "0"
        name = "sNaN" if word >> 121 & 1 else "NaN"
        return decimal.Decimal(("-" if sign else "") + name + (digits if digits != "0" else ""))
    if word >> 122 & 0x1F == 0x1E:
        return decimal.Decimal("-Infinity" if sign else "Infinity")
    if word >> 125 & 3 == 3:
        exponent, coefficient = word >> 111 & 0x3FFF, 0
    else:
        exponent, coefficient = word >> 113 & 0x3FFF, word & (1 << 113) - 1
    if coefficient >= 10**34:
        coefficient = 0
    digits = tuple(int(digit) for digit in str(coefficient))
    return decimal.Decimal((sign, digits, exponent - 6176))


def encode(number):
    sign, digits, exponent = number.as_tuple()
    coefficient = int("".join(map(str, digits)) or "0")
    if number.is_infinite():
        word = 0x1E << 122
    elif number.is_nan():
        word = 0x1F << 122 | (1 << 121 if number.is_snan() else 0) | coefficient
    else:
        word = exponent + 6176 << 113 | coefficient
    return f"{sign << 127 | word:032x}"


def order(left, right):
    if left.is_nan() or right.is_nan():
        return (not left.is_nan()) - (not right.is_nan())
    return int(left.compare(right, context=CONTEXT))


def is_exact(text, number):
    unlimited = decimal.Decimal(text)
    if unlimited.is_nan() or unlimited.is_infinite():
        return True
    return number.is_finite() and unlimited == number


def answer(line):
    operation, *operands = line.rstrip("\n").split(" ")
    if operation == "parse":
        number = CONTEXT.create_decimal(operands[0])
        return f"{encode(number)} {number} {'exact' if is_exact(operands[0], number) else 'rounded'}"
    numbers = [decode(operand) for operand in operands]
    if operation == "order":
        return str(order(*numbers))
    if operation == "text":
        return str(numbers[0])
    if operation == "double":
        return numbers[0].__float__().hex() if not numbers[0].is_nan() else "nan"
    result = {
        "add": CONTEXT.add, "subtract": CONTEXT.subtract, "multiply": CONTEXT.multiply,
        "divide": CONTEXT.divide}[operation](*numbers)
    return f"{encode(result)} {result}"


EDGES = [
    "0", "-0", "1", "-1", "10", "1.0", "1.00", "5", "2", "3", "7", "0.1", "0.3", "1E-6176",
    "-1E-6176", "5E-6176", "1E-6143", "9.999999999999999999999999999999999E-6144",
    "9.999999999999999999999999999999999E+6144", "-9.999999999999999999999999999999999E+6144",
    "9999999999999999999999999999999999", "5000000000000000000000000000000000",
    "1000000000000000000000000000000001", "3333333333333333333333333333333333", "1E+6144",
    "1E+6111", "0E+6111", "0E-6176", "1E-34", "1E+34", "5E-35", "-5E-35", "1E+33", "NaN", "-NaN7",
    "sNaN12", "Infinity", "-Infinity"]


def random_operand(source):
    kind = source.randrange(8)
    if kind == 0:
        return encode(CONTEXT.create_decimal(source.choice(EDGES)))
    if kind == 1:
        return f"{source.getrandbits(128):032x}"
    digits = source.randrange(1, 35)
    coefficient = source.randrange(10**digits)
    if kind == 2:
        coefficient = source.randrange(1, 10) * 10 ** (digits - 1)
    spread = source.choice([3, 40, 80, 6176])
    exponent = source.randrange(-spread, min(spread, 6111) + 1)
    if kind == 3:
        exponent = source.choice([-6176, 6111]) + source.randrange(-36, 37)
        exponent = max(-6176, min(6111, exponent))
    return f"{source.getrandbits(1) << 127 | exponent + 6176 << 113 | coefficient:032x}"


def random_text(source):
    digits = "".join(source.choice("0123456789") for _ in range(source.randrange(1, 80)))
    if source.random() < 0.3:
        digits = digits[:30] + source.choice(["0", "5", "9"]) * (len(digits) - 30)
    if source.random() < 0.7:
        point = source.randrange(len(digits) + 1)
        digits = digits[:point] + "." + digits[point:]
    exponent = source.choice(["", f"e{source.randrange(-6300, 6300)}", f"E+{source.randrange(99)}"])
    return source.choice(["", "-", "+"]) + digits + exponent


def cases(seed):
    source = random.Random(seed)
    edges = [encode(CONTEXT.create_decimal(edge)) for edge in EDGES]
    operations = ["add", "subtract", "multiply", "divide", "order"]
    for operation in operations:
        for left in edges:
            yield f"{operation} {left} {source.choice(edges)}"
        for _ in range(260):
            yield f"{operation} {random_operand(source)} {random_operand(source)}"
    for _ in range(150):
        yield f"text {random_operand(source)}"
        yield f"double {random_operand(source)}"
        yield f"parse {random_text(source)}"


if len(sys.argv) == 3 and sys.argv[1] == "cases":
    for case in cases(int(sys.argv[2])):
        print(f"{case} = {answer(case)}")
else:
    for question in sys.stdin:
        print(answer(question))
