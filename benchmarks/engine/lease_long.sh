#!/bin/bash
# On a bare machine with one or two GPUs: one sequence of 131,072 and 262,144 tokens against llama-bench at that depth, with
# an f16 and a q8_0 cache; Python's share of a decode step with 64 sequences; the planner's own choices; two engines. Needs
# .gpu-lib (built libraries) and .gpu-eng (see gpu_build.sh). usage: lease_long.sh SECONDS; results in $OUT/results.txt.
LIMIT=${1:-420}; REPO=$PWD; W=$(mktemp -d); mkdir -p $W/lib $W/site; R=$OUT/results.txt
say() { echo "[$SECONDS s] $*" | tee -a $R; }
left() { echo $((LIMIT-SECONDS)); }
tar xJf .gpu-eng/bundle.tar.xz -C $W
(cd $W/bundle; python3 random_gguf.py $W/8b.gguf 8b Q8_0 >$W/gguf.log 2>&1) & GGUF=$!
cat .gpu-lib/lib.xz.* | xz -dc | tar x -C $W/lib; tar xJf .gpu-lib/bench.tar.xz -C $W/lib
for n in llama ggml ggml-base ggml-cpu ggml-cuda; do ln -sf lib$n.so.0 $W/lib/lib$n.so; done
pip install -q --no-index --no-deps --target $W/site $W/bundle/diskcache-*.whl 2>&1 | tail -1
mkdir -p $W/site/llama_cpp_python-0.3.36.dist-info
printf 'Metadata-Version: 2.1\nName: llama-cpp-python\nVersion: 0.3.36\n' > $W/site/llama_cpp_python-0.3.36.dist-info/METADATA
export LLAMA_CPP_LIB_PATH=$W/lib LD_LIBRARY_PATH=$W/lib:$LD_LIBRARY_PATH PYTHONPATH=$W/bundle/py:$W/site:$REPO PYTHONUNBUFFERED=1
M=$W/8b.gguf; G="python3 $REPO/benchmarks/engine/gpu.py"
wait $GGUF; cat $W/gguf.log; ls -la $M; nvidia-smi -L; say model written

one_cache() { # KV GPU: our engine, then llama-bench, at both depths
  export CUDA_VISIBLE_DEVICES=$2
  timeout $(left) $G long $M --halves --prompt 262144 --answer 128 --kv $1 --tag long-$1 2>&1 | tail -2 >> $R; say engine long $1
  for depth in 131072 262144; do
    timeout $(left) $W/lib/llama-bench -m $M -ngl 99 -fa 1 -b 2048 -ub 2048 -ctk $1 -ctv $1 -p 0 -n 128 -d $depth -r 1 2>&1 | grep tg128 >> $R
    say llama-bench $1 $depth
  done
}
short() { # on GPU $1
  export CUDA_VISIBLE_DEVICES=$1
  timeout $(left) $G engine $M --requests 64 --tag share 2>&1 | tail -1 >> $R; say share
  timeout $(left) $G planned $M --prompt 4096 --tag planned 2>&1 | tail -1 >> $R
  timeout $(left) $G planned $M --prompt 262144 --tag planned-long 2>&1 | tail -1 >> $R
  timeout $(left) $G planned $M --prompt 32768 --layers 20 --tag planned-20-layers 2>&1 | tail -1 >> $R; say planned
}
GPUS=$(nvidia-smi -L | wc -l)
if [ $GPUS -ge 2 ]; then one_cache f16 0 & one_cache q8_0 1 & wait; short 0 & else one_cache f16 0; short 0; one_cache q8_0 0; fi
if [ $GPUS -ge 2 ]; then # a server on the other GPU meanwhile, then the engines of both
  (export CUDA_VISIBLE_DEVICES=1
  $W/lib/llama-server -m $M -ngl 99 -fa on -np 64 -c $((64*2560)) -b 2048 -ub 2048 --cache-ram 0 --port 8099 >$W/server.log 2>&1 & S=$!
  for i in $(seq 60); do curl -sf http://127.0.0.1:8099/health >/dev/null && break; sleep 1; done
  timeout $(left) python3 $REPO/benchmarks/engine/server.py http://127.0.0.1:8099 128 64 2048 128 >> $R 2>&1; say server 64 at a time
  timeout $(left) python3 $REPO/benchmarks/engine/server.py http://127.0.0.1:8099 12 1 2048 128 >> $R 2>&1; say server one at a time
  kill $S) & wait
  export CUDA_VISIBLE_DEVICES=0,1
  for n in 1 2; do timeout $(left) $G full $M --requests $((128*n)) --devices $n --tag full-$n 2>&1 | tail -1 >> $R; say full $n; done
fi
cat $R
