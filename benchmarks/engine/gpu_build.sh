#!/bin/bash
# On a bare GPU machine: builds llama.cpp with CUDA, keeps the libraries in the folder $OUT, and measures. Ends within ten
# minutes. Needs .gpu-eng/bundle.tar.xz, whose folder `bundle` has: llama.cpp (the sources inside the sdist of
# llama-cpp-python), py/ (its llama_cpp package), a wheel of diskcache, and a random_gguf.py that writes an 8B shape.
REPO=$PWD; W=$(mktemp -d); cd $W
T0=$SECONDS; say() { echo "[$((SECONDS-T0)) s] $*"; }
tar xJf $REPO/.gpu-eng/bundle.tar.xz; cd bundle
pip install -q --no-index --no-deps --target $W/site diskcache-*.whl 2>&1 | tail -1
(python3 random_gguf.py $W/8b.gguf 8b Q8_0 >$W/gguf.log 2>&1; echo "gguf done" >>$W/gguf.log) &
cmake -S llama.cpp -B $W/build -G Ninja -DCMAKE_BUILD_TYPE=Release -DGGML_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=90 -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_APP=OFF -DLLAMA_USE_PREBUILT_UI=OFF -DLLAMA_OPENSSL=OFF -DGGML_CUDA_NCCL=OFF -DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON >$W/cmake.log 2>&1 || { tail -5 $W/cmake.log; exit 1; }
timeout 430 cmake --build $W/build -j16 --target llama llama-server llama-batched-bench llama-bench >$W/build.log 2>&1 || tail -5 $W/build.log
say "built: $(ls $W/build/bin | tr '\n' ' ')"; cat $W/gguf.log; ls -la $W/8b.gguf
export LLAMA_CPP_LIB_PATH=$W/build/bin PYTHONPATH=$W/bundle/py:$W/site:$REPO LD_LIBRARY_PATH=$W/build/bin:$LD_LIBRARY_PATH PYTHONUNBUFFERED=1
M=$W/8b.gguf; B=$W/build/bin; G="python3 $REPO/benchmarks/engine/gpu.py"
gcc -O1 -g -shared -fPIC -o $W/s.so $REPO/benchmarks/engine/sample_stacks.c -ldl
cat > $W/env.sh <<E
export LLAMA_CPP_LIB_PATH=$LLAMA_CPP_LIB_PATH PYTHONPATH=$PYTHONPATH LD_LIBRARY_PATH=$LD_LIBRARY_PATH PYTHONUNBUFFERED=1
M=$M; B=$B; W=$W; G="$G"; REPO=$REPO
E
# The libraries first: without them the next run must build again.
(mkdir -p $W/keep; cp -L $B/libllama.so.0 $B/libggml.so.0 $B/libggml-base.so.0 $B/libggml-cpu.so.0 $B/libggml-cuda.so.0 $B/llama-server $B/llama-bench $B/llama-batched-bench $W/keep/; cp -L $B/libllama-common* $B/libmtmd* $B/libllama-server* $W/keep/ 2>/dev/null; ls $B/*.so* > $W/keep/list.txt
strip --strip-unneeded $W/keep/*.so* $W/keep/llama-*; cd $W/keep; tar c . | nice xz -T5 -6 | split -b 14M - $OUT/lib.xz.; ls -la $OUT $W/keep > $W/keep.log) &
timeout 60 $B/llama-batched-bench -m $M -c 139264 -b 2048 -ub 2048 -npp 2048 -ntg 128 -npl 64 -ngl 99 -fa on 2>&1 | grep '^|' | tee -a $OUT/results.txt; say batched
timeout 40 $G calls $M --slots 64 --tag calls --profile $W/s.so --stacks $W/stacks-calls.txt 2>&1 | tail -14 | tee -a $OUT/results.txt; say calls
python3 $REPO/benchmarks/engine/name_stacks.py $W/stacks-calls.txt 25 > $W/prof-calls.txt 2>&1
timeout 70 $G engine $M --requests 128 --tag engine --profile $W/s.so --stacks $W/stacks-engine.txt 2>&1 | tail -3 | tee -a $OUT/results.txt; say engine
python3 $REPO/benchmarks/engine/name_stacks.py $W/stacks-engine.txt 25 > $W/prof-engine.txt 2>&1
timeout 50 $G engine $M --requests 64 --device-sampling --tag device-sampling 2>&1 | tail -3 | tee -a $OUT/results.txt; say device
[ $((SECONDS-T0)) -lt 500 ] && GGML_CUDA_DISABLE_GRAPHS=1 timeout 50 $G engine $M --requests 64 --tag no-graphs 2>&1 | tail -3 | tee -a $OUT/results.txt; say nographs
[ $((SECONDS-T0)) -lt 530 ] && timeout 30 $G engine $M --requests 64 --slots 64 --step 4096 --tag step4096 2>&1 | tail -1; 
wait; cat $W/prof-*.txt >> $OUT/results.txt; cat $W/keep.log; head -40 $W/prof-calls.txt; head -30 $W/prof-engine.txt; say end
