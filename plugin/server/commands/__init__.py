"""One file per palette command: `async def run(server, args)`."""
