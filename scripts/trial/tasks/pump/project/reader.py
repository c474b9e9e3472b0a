"""Reads what the pumps' sensors write.

python3 reader.py FILE     prints what was read
python3 reader.py --live   reads the serial line until it is stopped
"""
import sys


def parse(line):
    t, sensor, value = line.split()[:3]
    return {"t": t, "sensor": sensor, "bar": float(value)}


def main(argv):
    if argv[0] == "--live":
        source = open("/dev/ttyS0")
    else:
        source = open(argv[0])
    for line in source:
        print(parse(line))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
