"""The contract: what a stack promises to those who use its pools. Versioned; written to the stack output `contract`.

Adding a field with a default is a minor change. Removing or renaming one, or changing a meaning, raises `CONTRACT_VERSION`.
"""

from hybrid_pools.blueprint.contract.pools import PoolContract, pool_contract
from hybrid_pools.blueprint.contract.whole import CONTRACT_VERSION, Contract, contract

__all__ = ["CONTRACT_VERSION", "Contract", "PoolContract", "contract", "pool_contract"]
