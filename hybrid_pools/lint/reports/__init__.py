"""How findings are told: to people, to programs, to code scanning and to pull requests."""
