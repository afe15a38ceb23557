"""The format of digest.json: its models, its JSON Schema, how a file is read and written."""

from conspectus.schema.models import SCHEMA, DigestFile
from conspectus.schema.parse import checksum_of, dump, load, parse

__all__ = ["SCHEMA", "DigestFile", "checksum_of", "dump", "load", "parse"]
