"""What goes wrong while depo works: kills at any instant, a full disk, a moved folder."""
