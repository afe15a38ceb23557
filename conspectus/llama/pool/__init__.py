"""Models behind llama-server or any other OpenAI-compatible server, one or many, as one `Model`."""

from conspectus.llama.pool.address import Address, parse_addresses
from conspectus.llama.pool.pool import ServerPool
from conspectus.llama.pool.settings import PoolSettings

__all__ = ["Address", "PoolSettings", "ServerPool", "parse_addresses"]
