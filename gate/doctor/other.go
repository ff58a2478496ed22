package doctor

// ofOther are the checks of an accelerator that perfgate has no clock for: what commands of the configuration say of it.
var ofOther = []check{
	{"device", "key", func(f Facts) Finding {
		if f.KeyTrouble != "" {
			return bad(f.KeyTrouble, "let the command of machine.key print the model, and end with status 0")
		}
		return fine(f.Key)
	}},
	{"device", "idle", func(f Facts) Finding {
		if f.IdleTrouble != "" {
			return bad(f.IdleTrouble, "end what uses it, or wait")
		}
		return fine("nobody uses it, as far as machine.idle says")
	}},
	{"device", "clocks", func(f Facts) Finding {
		switch {
		case f.ClocksTroubleOther != "":
			return warn(f.ClocksTroubleOther, "let the command of machine.clocks print them, and end with status 0")
		case f.OtherNow == "":
			return warn("not asked for: a slowdown by heat or power would not be seen", "name a command that prints them in machine.clocks")
		}
		return fine(f.OtherNow)
	}},
	{"tools", "compiler", compiler},
}
