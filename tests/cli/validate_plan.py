#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Validates plan files against the schema: validate_plan.py SCHEMA PLAN..."""
import json
import sys

import jsonschema

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
validator = jsonschema.Draft202012Validator(schema)
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        validator.validate(json.load(file))
