#!/usr/bin/env bash
# Runs the harness on a machine without network, at the root of a copy of the working tree that carries .whl and .gpu.
# MODEL (a GGUF file) and LLAMA_CPP_LIB_PATH (the folder of a CUDA build of llama.cpp) come from the environment.
# RESULTS is kept between calls on a warm machine; OUT receives one archive of the cells, the answers and the tables.
# Usage: MODEL=... LLAMA_CPP_LIB_PATH=... benchmarks/quality/gpu/run.sh --documents small --max-minutes 8
set -euo pipefail
here=$(pwd)
work=${WORK:-$here/build/gpu-quality}
site=${SITE:-$work/site}
results=${RESULTS:-$work/results}
mkdir -p "$work" "$results"

if [ ! -f "$site/.done" ]; then
    python3 -m pip install -q --no-index --no-deps --no-compile --no-cache-dir --upgrade --target "$site" .whl/*.whl
    cp -r .gpu/site/. "$site/"
    touch "$site/.done"
fi

# The mapped package conspectus.prompts stands beside conspectus in the tree: a copy puts it where an install would.
rm -rf "$work/tree" && mkdir -p "$work/tree"
cp -r conspectus benchmarks data "$work/tree/"
cp -r prompts "$work/tree/conspectus/prompts"
export PYTHONPATH="$site:$work/tree" CONSPECTUS_CORPUS="$here/.gpu/corpus" PYTHONUNBUFFERED=1
export CONSPECTUS_CACHE="$work/cache" CONSPECTUS_STATE="$work/state" HF_HUB_OFFLINE=1
mkdir -p "$work/cache"

# An archive of an earlier run (answers and cells) may travel in .gpu: then nothing is asked twice.
if [ -f .gpu/results.tgz ] && [ ! -d "$results/cells" ]; then tar xzf .gpu/results.tgz -C "$results"; fi

model=$(realpath "${MODEL:?name a GGUF file}")
# Python looks into the current folder first, and the tree's own conspectus has no prompts below it.
cd "$work/tree"
status=0
python3 -m benchmarks.quality.run --model "$model" --results "$results" "$@" || status=$?
if [ -n "${OUT:-}" ] && [ -d "$results/cells" ]; then
    (cd "$results" && tar czf "$OUT/quality-results.tgz" --exclude model-cache ./*)
    ls -la "$OUT"
fi
exit $status
