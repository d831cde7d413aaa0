"""One file per method: `async def handle(server, params)` decodes, calls and encodes."""
