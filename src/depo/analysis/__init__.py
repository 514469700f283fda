"""What opens finished runs: evaluate, imagine, reachability, record, film, report."""
