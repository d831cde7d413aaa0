"""The language server: one process over stdio for editors and for agent hosts' glue.

- `wire` reads and writes frames on threads of their own, `rpc` answers every request once.
- `registry` lists each method with the module that handles it: one file per method, thin.
- `server` is what handlers get: documents, folders, sessions, pools, the client.

Handlers run on the event loop and never block it: state, files and services are reached through
`server.off`, the calls of one session through its lane (`sessions`).
"""
