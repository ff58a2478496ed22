import math
import unittest

try:
    import torch
    from perfgate._rounding_torch import random_roundings, seed_of
except ImportError:
    torch = None


@unittest.skipIf(torch is None, "torch is not installed")
class RandomRoundings(unittest.TestCase):
    def setUp(self):
        self.x = torch.tensor([[0.0, 40.0, 1.0, 3.0]] * 32)

    def less_the_largest(self, x):
        with random_roundings(torch, [x], torch.float32, 2**-24):
            return 1 - torch.softmax(x, -1)[:, 1]

    def test_show_what_an_exact_result_hides(self):
        self.assertEqual(float((1 - torch.softmax(self.x, -1)[:, 1]).abs().max()), 0)
        lost = self.less_the_largest(self.x)
        self.assertGreater(float(lost.abs().max()), 0)
        self.assertLess(float(lost.abs().max()), 2**-16)  # a few units of the largest logit

    def test_follow_from_the_tensors(self):
        first, again, other = (self.less_the_largest(x) for x in (self.x, self.x.clone(), self.x + 1))
        self.assertTrue(torch.equal(first, again))
        self.assertFalse(torch.equal(first, other))
        unwritten = torch.full((4,), math.nan)
        self.assertEqual(seed_of([self.x, unwritten, None, torch.arange(3)]), seed_of([self.x, torch.arange(3)]))

    def test_move_what_underflows_and_equal_values_alike(self):
        small = torch.full((64,), 2.0**-30, dtype=torch.float64)
        with random_roundings(torch, [small], torch.float64, 0, 2.0**-25):
            lost = small * 1
        self.assertGreater(float(lost.abs().min()), 2.0**-26)
        self.assertEqual(len(set(lost.tolist())), 1)

    def test_leave_integers(self):
        labels = torch.tensor([255.0] * 32, dtype=torch.float64)
        with random_roundings(torch, [self.x], torch.float64, 2.0**-8, whole=[labels]):
            indices, next_ones, mask = labels[:, None].long(), labels + 1, self.x.double().abs() + 1 > 0
        self.assertEqual(set(indices.flatten().tolist()), {255})
        self.assertEqual(set(next_ones.tolist()), {256.0})
        self.assertTrue(bool(mask.all()))

    def test_leave_what_is_no_number_views_and_other_types(self):
        special = torch.tensor([math.inf, -math.inf, 0.0])
        with random_roundings(torch, [special], torch.float32, 2**-24):
            self.assertTrue(torch.equal(special * 2, special))
            self.assertEqual(self.x.t().data_ptr(), self.x.data_ptr())
            self.assertTrue(torch.equal(torch.ones(64, dtype=torch.float64) * 3, torch.full((64,), 3.0, dtype=torch.float64)))
            in_place = torch.ones(64)
            self.assertIs(in_place.add_(1), in_place)
