"""What agentcells costs, a room for each chapter of docs/benchmarks.md. No tests: nothing here asserts a time."""
