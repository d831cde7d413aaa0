"""`segue uninstall HOST`: take the glue out of another program again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segue.session.errors import SegueError

from ..installs import HOSTS
from ..installs.plan import read_record
from . import install

if TYPE_CHECKING:
    from argparse import Namespace

add_arguments = install.add_arguments


def run(args: Namespace) -> int:
    plan = install.plan_of(args)
    known = read_record(plan.folder)
    if not known:
        raise SegueError(f"nothing of Segue is installed in {plan.folder}")
    print("\n".join(f"remove  {plan.folder / name}" for name in sorted(known)))
    if args.dry_run:
        return 0
    install.confirm("Remove this?", yes=args.yes)
    for path in plan.undo():
        print(f"left    {path} (changed since it was installed)")
    print(f"{HOSTS[args.host].name} is as it was.")
    return 0
