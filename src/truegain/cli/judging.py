"""The commands `truegain judging ...`: collect judgments."""

from __future__ import annotations

from importlib import import_module

import typer

# subcommand: the file of this folder and the function in it; what it needs is imported when it runs
SUBCOMMANDS = {
    "init": "judging_init:init_study_command",
    "check": "judging_check:check_study_command",
    "serve": "judging_serve:serve_command",
    "invite": "judging_invite:invite_command",
    "status": "judging_status:status_command",
    "export": "judging_export:export_command",
    "withdraw": "judging_withdraw:withdraw_command",
    "key": "judging_key:key_command",
    "password": "judging_key:password_command",
    "demo": "judging_serve:demo_judging_command",
}

WHAT = "Collect judgments: magnitudes, grades, binary labels, preferences, claims with their sources."

judging = typer.Typer(name="judging", help=WHAT, no_args_is_help=True)


@judging.callback()
def judging_root() -> None:
    """Collect judgments: magnitudes, grades, binary labels, preferences, claims with their sources."""


for _name, _place in SUBCOMMANDS.items():
    _file, _function = _place.split(":")
    judging.command(_name)(getattr(import_module(f"truegain.cli.{_file}"), _function))
