import unittest

from lib.opening import hours


class Hours(unittest.TestCase):
    def test_summer(self):
        self.assertEqual(hours(7), "9-18")
