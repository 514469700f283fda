"""Recordings against an environment: what does not fit is named before anything is learned."""
