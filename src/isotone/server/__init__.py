"""Models over HTTP: a FastAPI application that batches requests, and how to run it. Needs the extra `serve`."""

from isotone.server.app import create_app
from isotone.server.run import Address, serve
from isotone.server.settings import ServerSettings

__all__ = ["Address", "ServerSettings", "create_app", "serve"]
