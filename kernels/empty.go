package kernels

// CodeEmpty is the code of a case without elements. Such a case is right or wrong like any other, and parity runs it, but what it
// takes is the cost of a call: noise, whatever the kernel does.
const CodeEmpty = "empty"

// IsEmpty says whether a case has outputs, and none of them an element.
func (s SpecReply) IsEmpty() bool {
	outputs := 0
	for _, t := range s.Tensors {
		if t.Role != "out" && t.Role != "inout" {
			continue
		}
		if t.Bytes > 0 {
			return false
		}
		outputs++
	}
	return outputs > 0
}
