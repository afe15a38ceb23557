"""The model behind one small contract: count tokens, complete requests."""

from conspectus.llama.contract import Completion, Finish, Message, Model, ModelInfo, Request

__all__ = ["Completion", "Finish", "Message", "Model", "ModelInfo", "Request"]
