"""Files as strangers and failing disks make them: mutated by the thousand, never a traceback."""
