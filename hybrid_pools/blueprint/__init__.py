"""The model: vocabulary, catalogue of facts, configuration, derivation, output contract. Pure; reads only its own data files."""

from hybrid_pools.blueprint.configuration.stack_file import check_stack_file
from hybrid_pools.blueprint.contract import CONTRACT_VERSION, Contract, contract
from hybrid_pools.blueprint.derivation import check, derive
from hybrid_pools.blueprint.model import Blueprint, NodeAccount, Pool
from hybrid_pools.blueprint.problems import ConfigurationError, Problem

__all__ = [
    "CONTRACT_VERSION",
    "Blueprint",
    "ConfigurationError",
    "Contract",
    "NodeAccount",
    "Pool",
    "Problem",
    "check",
    "check_stack_file",
    "contract",
    "derive",
]
