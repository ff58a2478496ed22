package config

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
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

// ParseWhere compiles a condition over params. Its error says which word or sign it stumbled over.
func ParseWhere(text string, params []Param) (*Where, error) {
	p := &whereParser{tokens: whereTokens(text), params: params}
	root, isTruth, err := p.expression(0)
	if err != nil {
		return nil, err
	}
	if p.peek() != "" {
		return nil, fmt.Errorf("%s was not expected", quoted(p.peek()))
	}
	if !isTruth {
		return nil, fmt.Errorf("%s is a number, not a condition", quoted(text))
	}
	return &Where{Text: text, root: root}, nil
}

// whereTokens splits into words and signs; what is neither becomes a token of its own that no rule accepts.
func whereTokens(text string) []string {
	var out []string
	for i := 0; i < len(text); {
		n := 1
		switch c := text[i]; {
		case c == ' ':
			i++
			continue
		case isWord(c):
			for i+n < len(text) && isWord(text[i+n]) {
				n++
			}
		case i+1 < len(text) && strings.Contains(" <= >= == != && || ", " "+text[i:i+2]+" "):
			n = 2
		}
		out = append(out, text[i:i+n])
		i += n
	}
	return out
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// operator binds tighter the larger its level.
type operator struct {
	level      int
	takesTruth bool
	givesTruth bool
	apply      func(a, b int64) int64
}

var operators = map[string]operator{
	"||": {1, true, true, func(a, b int64) int64 { return a | b }},
	"&&": {2, true, true, func(a, b int64) int64 { return a & b }},
	"==": {3, false, true, func(a, b int64) int64 { return truth(a == b) }},
	"!=": {3, false, true, func(a, b int64) int64 { return truth(a != b) }},
	"<":  {3, false, true, func(a, b int64) int64 { return truth(a < b) }},
	"<=": {3, false, true, func(a, b int64) int64 { return truth(a <= b) }},
	">":  {3, false, true, func(a, b int64) int64 { return truth(a > b) }},
	">=": {3, false, true, func(a, b int64) int64 { return truth(a >= b) }},
	"+":  {4, false, false, add},
	"-":  {4, false, false, subtract},
	"*":  {5, false, false, multiply},
	"/":  {5, false, false, divide},
	"%":  {5, false, false, remainder},
	"^":  {6, false, false, power},
}

type whereParser struct {
	tokens []string
	params []Param
	depth  int
}

func (p *whereParser) peek() string {
	if len(p.tokens) == 0 {
		return ""
	}
	return p.tokens[0]
}

func (p *whereParser) next() string {
	t := p.peek()
	if t != "" {
		p.tokens = p.tokens[1:]
	}
	return t
}

// expression reads operands joined by operators that bind tighter than above: precedence climbing.
func (p *whereParser) expression(above int) (evaluator, bool, error) {
	if p.depth++; p.depth > 64 {
		return nil, false, fmt.Errorf("nested too deep")
	}
	defer func() { p.depth-- }()
	left, isTruth, err := p.operand()
	for err == nil {
		sign := p.peek()
		op, ok := operators[sign]
		if !ok || op.level <= above {
			break
		}
		p.next()
		var right evaluator
		var rightTruth bool
		right, rightTruth, err = p.expression(op.level)
		if err == nil && (isTruth != op.takesTruth || rightTruth != op.takesTruth) {
			err = fmt.Errorf("%s joins %s on both sides", sign, map[bool]string{true: "conditions", false: "numbers"}[op.takesTruth])
		}
		left, isTruth = binary(op, left, right), op.givesTruth
	}
	return left, isTruth, err
}

func binary(op operator, left, right evaluator) evaluator {
	return func(value func(string) int64) int64 { return op.apply(left(value), right(value)) }
}

func (p *whereParser) operand() (evaluator, bool, error) {
	t := p.next()
	switch {
	case t == "":
		return nil, false, fmt.Errorf("something is missing at the end")
	case t == "(":
		inner, isTruth, err := p.expression(0)
		if err == nil && p.next() != ")" {
			err = fmt.Errorf("a parenthesis is not closed")
		}
		return inner, isTruth, err
	case t == "-":
		inner, isTruth, err := p.expression(operators["*"].level)
		if err == nil && isTruth {
			err = fmt.Errorf("- stands before a condition")
		}
		return func(value func(string) int64) int64 { return negate(inner(value)) }, false, err
	case !isWord(t[0]):
		return nil, false, fmt.Errorf("%s was not expected", quoted(t))
	case t[0] >= '0' && t[0] <= '9':
		i, err := strconv.ParseInt(t, 10, 64)
		if err != nil {
			return nil, false, fmt.Errorf("%s is not a decimal integer of 64 bits", quoted(t))
		}
		return func(func(string) int64) int64 { return i }, false, nil
	case paramIndex(p.params, t) >= 0:
		return func(value func(string) int64) int64 { return value(t) }, false, nil
	}
	v, err := ParseValue(t)
	if err != nil {
		return nil, false, fmt.Errorf("%s is not a parameter", quoted(t))
	}
	return func(func(string) int64) int64 { return v.Int }, false, nil
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// saturated is a number, or the end of 64 bits that it lies beyond.
func saturated(n *big.Int) int64 {
	switch {
	case n.IsInt64():
		return n.Int64()
	case n.Sign() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

func negate(a int64) int64 { return saturated(new(big.Int).Neg(big.NewInt(a))) }

func add(a, b int64) int64 { return saturated(new(big.Int).Add(big.NewInt(a), big.NewInt(b))) }

func subtract(a, b int64) int64 { return saturated(new(big.Int).Sub(big.NewInt(a), big.NewInt(b))) }

func multiply(a, b int64) int64 { return saturated(new(big.Int).Mul(big.NewInt(a), big.NewInt(b))) }

// divide by zero is 0: a condition must not fail on a case that it is there to sort out.
func divide(a, b int64) int64 {
	if b == 0 {
		return 0
	}
	return saturated(new(big.Int).Quo(big.NewInt(a), big.NewInt(b)))
}

func remainder(a, b int64) int64 {
	if b == 0 {
		return 0
	}
	return a % b
}

// power is 0 for a negative exponent. Beyond 64 bits only the sign of the result counts, so that no exponent takes long.
func power(a, b int64) int64 {
	switch {
	case b < 0:
		return 0
	case b > 64:
		b = 64 + b%2
	}
	return saturated(new(big.Int).Exp(big.NewInt(a), big.NewInt(b), nil))
}
