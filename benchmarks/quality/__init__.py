"""Quality of digests against what people use today, on the same model. See README.md."""

import sys
from pathlib import Path

# `python -m` looks into the current folder first, where conspectus has no prompts below it: the installed one must win.
_ROOT = Path(__file__).resolve().parents[2]
_own = [entry for entry in sys.path if Path(entry).resolve() == _ROOT]
sys.path[:] = [entry for entry in sys.path if entry not in _own] + _own[:1]
