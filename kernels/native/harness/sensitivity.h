// The error bound of one case, element by element: the reference asked about other inputs, no more often than it takes.
#ifndef PERFGATE_HARNESS_SENSITIVITY_H
#define PERFGATE_HARNESS_SENSITIVITY_H

#include <memory>
#include <string>
#include <vector>

#include "oracle.h"

namespace perfgate {

const int kStages = 5;
bool is_accumulator(const std::string &word);

// How the reference's outputs answer to small changes of one set of inputs.
class Neighbourhood {
 public:
  // All of these must outlive it; `expected` is what the reference makes of `inputs`.
  Neighbourhood(Session *s, const Set *inputs, const Expected *expected, uint64_t key);
  // Asks until so many changes were tried that all floating inputs make: by signs, each relative by `size`, by tails, and of a reference that
  // computes in f32, if there is one, and of one whose intermediates are moved by `stored`, unless that is 0. False where the reference has no
  // answer.
  bool ask(int signs, int tails, int narrow, double size, double stored);
  // The outputs of changed inputs, all of them or one; null where the reference has none. Valid until the next call.
  const Expected *changed(const Perturbation &p, int only);
  Responses responses(size_t i) const;  // of output i; nothing but nulls where it is no floating output
  int signs() const { return signs_; }
  int tails() const { return tails_; }
  int narrow() const { return narrow_; }

 private:
  struct Sums {
    std::unique_ptr<Doubles> squares, most, logs, losses, stored;
  };
  bool change(Perturbation::Kind kind, int until, double size, int *done);
  void ask_narrow(int until, double stored);
  void lose(const Perturbation &loss, const Expected &exact, const Expected &moved);

  Session *s_;
  const Set *inputs_;
  const Expected *expected_;
  const uint64_t key_;
  std::vector<Sums> sums_;
  Expected moved_;
  int signs_ = 0, tails_ = 0, narrow_ = 0;
};

// What is known so far of how each element of the outputs depends on the inputs. Nothing is at first: refine asks the reference about a
// few more inputs. A kernel that rounds once is right without, and most right ones after the first few.
class Sensitivity {
 public:
  // All of these must outlive it; `inputs` are those of the launch, and `expected` what the reference makes of them.
  Sensitivity(Session *s, const Set *inputs, const Expected *expected, const Rules *rules, Values values, uint64_t seed);

  // Whether what fails in `v` may still turn out to be right.
  bool doubts(const Verdict &v) const;
  // Asks the reference about more inputs; false where enough is known, or it would take too long.
  bool refine(const Set &judged);
  int64_t stage() const { return stage_; }

  Wanted wanted(size_t i) const;  // what output i is held to
  Wanted wanted_with(size_t i, const std::string &accumulate);  // the same with another accumulator; valid until the next call
  double largest(size_t i) const { return outputs_[i].largest; }  // magnitude that output i should have
  double length(size_t i, int64_t element) const;  // the effective length of reduction around an element; 0 where it is not known

 private:
  struct Output {
    std::unique_ptr<Doubles> slack, reach;
    std::unique_ptr<Doubles> exact, admitted;  // a byte an element
    double largest = 0;
    double usual = 0;  // magnitude that the same output has for small inputs, up to 1
  };
  bool bounded(size_t i) const;
  double unit(const TensorSpec &output, const std::string &accumulate) const;
  double stored_unit() const;
  Bound bound_of(size_t i, const std::string &accumulate) const;
  Tolerance least(size_t i, const std::string &accumulate) const;
  bool advance(const Set &judged);
  bool find_reach();
  bool sift();
  bool admit(const Set &judged);
  void settle();

  Session *s_;
  const Set *inputs_;
  const Expected *expected_;
  const Rules *rules_;
  const Values values_;
  const uint64_t seed_;
  double inputs_unit_ = 0;  // of the coarsest floating input; 0 where there is none
  double widest_ = 1, most_ = 1;  // the largest dimension of an input, and the most elements
  bool one_way_ = false, one_sign_ = true;
  std::vector<Output> outputs_;
  Neighbourhood here_;
  std::unique_ptr<Doubles> other_;  // slack of another accumulator
  int64_t stage_ = 0;
  double spent_ns_ = 0;
};

}  // namespace perfgate

#endif
