import sys

sys.exit("no GPU here")
