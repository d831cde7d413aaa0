"""The core: workflows, what happens next, what is remembered, who may do what.

Knows nothing of editors, agents or the built-ins. `segue.plugin` reaches it through
`segue.session.service` alone.
"""
