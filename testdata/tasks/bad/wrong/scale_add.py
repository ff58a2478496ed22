def custom_kernel(data):
    a, b, output = data
    return 2.0001 * a + b
