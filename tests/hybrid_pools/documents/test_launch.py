"""The guide to launching."""

import re

from hybrid_pools.documents.launch import render
from hybrid_pools.training.launch.problems import RULES
from tests.environments import blueprint_of
from tests.hybrid_pools.training.launch.test_refusals import CASES


def test_every_rule_is_told_and_has_a_run_that_breaks_it():
    assert {at.split()[0] for case in CASES for at in case[3]} == set(RULES)
    assert set(re.findall(r"JOB-\d{3}", render(blueprint_of("prod")))) == set(RULES)
