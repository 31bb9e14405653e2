#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a page contains the tables that a command prints.

generated_table_test.py PAGE COMMAND [ARGUMENT ...]
"""
import subprocess
import sys

page, command = sys.argv[1], sys.argv[2:]
text = open(page, encoding="utf-8").read()
printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
missing = [table for table in printed.strip().split("\n\n") if table not in text]
for table in missing:
    print(f"{page} lacks what `{' '.join(command)}` prints:\n{table}")
sys.exit(1 if missing or not printed.strip() else 0)
