"""`python -m truegain` is `truegain`."""

from truegain.cli.app import main

main()
