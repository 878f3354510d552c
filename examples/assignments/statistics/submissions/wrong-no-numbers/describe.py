# Wrong: it divides by zero without numbers.
from datetime import date

numbers = []
while True:
    try:
        line = input()
    except EOFError:
        break
    if line == "":
        break
    try:
        numbers.append(float(line))
    except ValueError:
        pass

print("Made", date.today())
print("count", len(numbers))
if True:
    mean = sum(numbers) / len(numbers)
    ordered = sorted(numbers)
    middle = len(ordered) // 2
    if len(ordered) % 2 == 1:
        median = ordered[middle]
    else:
        median = (ordered[middle - 1] + ordered[middle]) / 2
    total = 0
    for number in numbers:
        total += (number - mean) ** 2
    print("mean", mean)
    print("median", median)
    print("deviation", (total / len(numbers)) ** 0.5)
    most = max(numbers.count(number) for number in numbers)
    for number in sorted(set(numbers)):
        if numbers.count(number) == most:
            print("mode", number)
