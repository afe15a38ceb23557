"""`conspectus completion`: a script that lets the shell complete commands, options and files."""

import sys
from typing import Literal

from conspectus.errors import ExitCode


def completion(shell: Literal["bash", "zsh", "fish"], /) -> int:
    """Print the completion script of a shell.

    Examples:
      conspectus completion bash > ~/.local/share/bash-completion/completions/conspectus
      conspectus completion zsh > ~/.zfunc/_conspectus       with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc
      conspectus completion fish > ~/.config/fish/completions/conspectus.fish

    Parameters
    ----------
    shell
        bash, zsh or fish.
    """
    from conspectus.cli.main import app

    sys.stdout.write(app.generate_completion(prog_name="conspectus", shell=shell))
    return ExitCode.OK
