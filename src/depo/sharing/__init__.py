"""Planners, skills, policies and zoo entries to and from other places, checked on the way in."""
