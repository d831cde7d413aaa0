"""How people and hosts reach the core: commands, views, adapters."""
