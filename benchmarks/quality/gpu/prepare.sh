#!/usr/bin/env bash
# Gathers what a GPU machine without network needs: wheels into .whl/, everything else into .gpu/ (both ignored by git
# through .git/info/exclude, never committed). Usage: prepare.sh [FILE with the packages that are there already].
set -euo pipefail
cd "$(dirname "$0")/../../.."
there=${1:-.gpu/there.txt}
python=${PYTHON:-python3}

for folder in /.whl/ /.gpu/; do
    grep -qx "$folder" .git/info/exclude 2>/dev/null || echo "$folder" >>.git/info/exclude
done
mkdir -p .whl .gpu
[ -f "$there" ] || : >"$there"

# 1. Wheels: what conspectus and the peers import, for CPython 3.12 on x86-64, less what is there.
"$python" benchmarks/quality/gpu/needs.py "$there" >.gpu/needs.txt
rm -f .whl/*.whl
# Published as a source archive only; it is pure Python.
grep '^rouge-score' .gpu/needs.txt | xargs "$python" -m pip wheel -qq --disable-pip-version-check --no-deps -w .whl
grep -v '^rouge-score' .gpu/needs.txt >.gpu/wheels.txt
"$python" -m pip download -qq --disable-pip-version-check --no-deps --only-binary=:all: \
    --python-version 3.12 --implementation cp --abi cp312 --abi abi3 --abi none \
    --platform manylinux_2_39_x86_64 --platform manylinux_2_34_x86_64 --platform manylinux_2_28_x86_64 \
    --platform manylinux_2_27_x86_64 --platform manylinux_2_26_x86_64 --platform manylinux_2_24_x86_64 \
    --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 --platform manylinux_2_12_x86_64 \
    --platform manylinux2010_x86_64 --platform manylinux_2_5_x86_64 --platform manylinux1_x86_64 --platform any \
    -d .whl -r .gpu/wheels.txt

# LlamaIndex carries a zip of what lies beside it unpacked, and a tokenizer that is replaced by the model's own.
"$python" - <<'PY'
import pathlib, zipfile
(wheel,) = pathlib.Path(".whl").glob("llama_index_core-*.whl")
small = wheel.with_suffix(".small")
with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(small, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
    for entry in old.infolist():
        if "_static/tiktoken_cache/" not in entry.filename and not entry.filename.endswith("punkt_tab.zip"):
            new.writestr(entry, old.read(entry), zipfile.ZIP_DEFLATED, 9)
small.replace(wheel)
PY

# 2. The Python half of llama_cpp, without its libraries: LLAMA_CPP_LIB_PATH names those of the machine.
rm -rf .gpu/site && mkdir -p .gpu/site
"$python" - <<'PY'
import importlib.util, pathlib, shutil, subprocess, sys
found = subprocess.run([".venv/bin/python", "-c", "import importlib.util as u; print(u.find_spec('llama_cpp').origin)"],
                       check=True, capture_output=True, text=True).stdout.strip()
package = pathlib.Path(found).parent
shutil.copytree(package, ".gpu/site/llama_cpp", ignore=shutil.ignore_patterns("lib", "__pycache__", "*.so*", "server"))
(about,) = package.parent.glob("llama_cpp_python-*.dist-info")
shutil.copytree(about, pathlib.Path(".gpu/site") / about.name, ignore=shutil.ignore_patterns("RECORD"))
PY

# 3. The corpus files that are measured.
corpus=${CONSPECTUS_CORPUS:-../shared/corpus}
rm -rf .gpu/corpus && mkdir -p .gpu/corpus/{contracts,statutes,eval}
for name in test_09_outsourcing_sykeshealthplan test_02_service_martinmidstream test_04_service_atmosenergy \
    test_05_license_pacificapentert test_03_service_blackstonegsolo train_01_service_gpaq; do
    cp "$corpus/contracts/cuad_$name.pdf" .gpu/corpus/contracts/
done
cp "$corpus"/statutes/zh_{civil_code,labour_contract_law}.md .gpu/corpus/statutes/
cp "$corpus"/eval/{cuad_labels_20.json,plain_english_contracts_446.jsonl} .gpu/corpus/eval/
chmod -R u+w .gpu/corpus

du -sh .whl .gpu
ls .whl | wc -l
