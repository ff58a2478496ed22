package config

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"unicode"

	"github.com/org/perfgate/gate/text"
)

// Where is a condition over the parameters of a case, like B*H*S*D <= 2^28. It has integers, dtype words, parameters,
// + - * / % ^ (power), comparisons, && || and parentheses. Arithmetic saturates at 64 bits, so that a product that is
// too large stays too large.
type Where struct {
	Text string
	root evaluator
}

// maxWhere is the longest condition that a configuration may have.
const maxWhere = 1000

func (w Where) String() string { return w.Text }

// Holds evaluates the condition; value returns the integer of a parameter.
func (w *Where) Holds(value func(name string) int64) bool {
	return w == nil || w.root(value) != 0
}

// evaluator is a compiled expression; truth is 1 or 0.
type evaluator func(value func(string) int64) int64

// term is a part of a condition: a number, or a condition itself.
type term struct {
	eval        evaluator
	isCondition bool
}

// ParseWhere compiles a condition over params. Its error says which word or sign it stumbled over.
func ParseWhere(text string, params []Param) (*Where, error) {
	p := &whereParser{tokens: whereTokens().FindAllString(text, -1), params: params}
	root := p.expression(0)
	if next := p.next(); next != "" {
		p.fail("%s was not expected", quoted(next))
	} else if !root.isCondition {
		p.fail("%s is a number, not a condition", quoted(text))
	}
	if p.err != nil {
		return nil, p.err
	}
	return &Where{Text: text, root: root.eval}, nil
}

// whereTokens are words and signs; what is neither is a token that no rule accepts.
var whereTokens = text.Pattern(`[A-Za-z0-9_]+|[<>=!]=|&&|\|\||[^ ]`)

// Operators bind tighter the larger their level. Those up to joins are of conditions, those above of numbers; up to compares they give a condition.
const (
	joins = iota + 2
	compares
	sums
	products
)

type operator struct {
	level int
	apply func(a, b int64) int64
}

var operators = map[string]operator{
	"||": {joins - 1, func(a, b int64) int64 { return a | b }},
	"&&": {joins, func(a, b int64) int64 { return a & b }},
	"==": {compares, func(a, b int64) int64 { return truth(a == b) }},
	"!=": {compares, func(a, b int64) int64 { return truth(a != b) }},
	"<":  {compares, func(a, b int64) int64 { return truth(a < b) }},
	"<=": {compares, func(a, b int64) int64 { return truth(a <= b) }},
	">":  {compares, func(a, b int64) int64 { return truth(a > b) }},
	">=": {compares, func(a, b int64) int64 { return truth(a >= b) }},
	"+":  {sums, exact((*big.Int).Add)},
	"-":  {sums, exact((*big.Int).Sub)},
	"*":  {products, exact((*big.Int).Mul)},
	"/":  {products, unlessZero(exact((*big.Int).Quo))},
	"%":  {products, unlessZero(exact((*big.Int).Rem))},
	"^":  {products + 1, power},
}

type whereParser struct {
	tokens []string
	params []Param
	depth  int
	err    error // the first
}

func (p *whereParser) fail(format string, args ...any) term {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
	p.tokens = nil
	return term{}
}

func (p *whereParser) peek() string {
	if len(p.tokens) == 0 {
		return ""
	}
	return p.tokens[0]
}

func (p *whereParser) next() string {
	t := p.peek()
	p.tokens = p.tokens[min(1, len(p.tokens)):]
	return t
}

// expression reads operands joined by operators that bind tighter than above: precedence climbing.
func (p *whereParser) expression(above int) term {
	if p.depth++; p.depth > 64 {
		return p.fail("nested too deep")
	}
	defer func() { p.depth-- }()
	left := p.operand()
	for {
		sign := p.peek()
		op, ok := operators[sign]
		if !ok || op.level <= above {
			return left
		}
		p.next()
		right, ofConditions := p.expression(op.level), op.level <= joins
		if left.isCondition != ofConditions || right.isCondition != ofConditions {
			return p.fail("%s joins %s on both sides", sign, map[bool]string{true: "conditions", false: "numbers"}[ofConditions])
		}
		left = term{binary(op, left.eval, right.eval), op.level <= compares}
	}
}

func binary(op operator, left, right evaluator) evaluator {
	return func(value func(string) int64) int64 { return op.apply(left(value), right(value)) }
}

func constant(i int64) evaluator { return func(func(string) int64) int64 { return i } }

func (p *whereParser) operand() term {
	t := p.next()
	switch {
	case t == "":
		return p.fail("something is missing at the end")
	case t == "(":
		inner := p.expression(0)
		if p.next() != ")" {
			return p.fail("a parenthesis is not closed")
		}
		return inner
	case t == "-":
		inner := p.expression(products)
		if inner.isCondition {
			return p.fail("- stands before a condition")
		}
		return term{eval: binary(operators["-"], constant(0), inner.eval)}
	case paramIndex(p.params, t) >= 0:
		return term{eval: func(value func(string) int64) int64 { return value(t) }}
	}
	i, err := strconv.ParseInt(t, 10, 64)
	dtype, unknown := ParseValue(t)
	switch {
	case err == nil:
		return term{eval: constant(i)}
	case unknown == nil:
		return term{eval: constant(dtype.Int)}
	case t[0] >= '0' && t[0] <= '9':
		return p.fail("%s is not a decimal integer of 64 bits", quoted(t))
	case t[0] == '_' || unicode.IsLetter(rune(t[0])):
		return p.fail("%s is not a parameter", quoted(t))
	}
	return p.fail("%s was not expected", quoted(t))
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// exact is an operation on integers of any size whose result is cut to 64 bits: to the end that it lies beyond.
func exact(apply func(z, a, b *big.Int) *big.Int) func(a, b int64) int64 {
	return func(a, b int64) int64 {
		n := apply(new(big.Int), big.NewInt(a), big.NewInt(b))
		switch {
		case n.IsInt64():
			return n.Int64()
		case n.Sign() < 0:
			return math.MinInt64
		}
		return math.MaxInt64
	}
}

// unlessZero gives 0 where it is divided by zero: a condition must not fail on a case that it is there to sort out.
func unlessZero(divide func(a, b int64) int64) func(a, b int64) int64 {
	return func(a, b int64) int64 {
		if b == 0 {
			return 0
		}
		return divide(a, b)
	}
}

// power is 0 for a negative exponent. Beyond 64 bits only the sign of the result counts, so that no exponent takes long.
func power(a, b int64) int64 {
	switch {
	case b < 0:
		return 0
	case b > 64:
		b = 64 + b%2
	}
	return exact(func(z, x, y *big.Int) *big.Int { return z.Exp(x, y, nil) })(a, b)
}
