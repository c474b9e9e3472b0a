import unittest

import reader


class Parse(unittest.TestCase):
    def test_plain(self):
        self.assertEqual(reader.parse("2026-11-22T23:10 P1 2.51")["bar"], 2.51)
