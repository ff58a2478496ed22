from sdpa import SDPBackend, by, tensors

launch = by(SDPBackend.CUDNN_ATTENTION)
