from sdpa import SDPBackend, by, tensors

launch = by(SDPBackend.FLASH_ATTENTION)
