#!/bin/sh
# One job: takes the configuration that was left in the instance's metadata, and runs a runner with it.
set -eu
attributes=http://metadata.google.internal/computeMetadata/v1/instance/attributes
config=$(curl -fsS --retry 5 --retry-all-errors -H 'Metadata-Flavor: Google' "$attributes/jitconfig")
exec ./run.sh --jitconfig "$config"
