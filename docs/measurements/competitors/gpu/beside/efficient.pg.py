from sdpa import SDPBackend, by, tensors

launch = by(SDPBackend.EFFICIENT_ATTENTION)
