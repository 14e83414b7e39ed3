"""Everything that writes results: JSON objects, CSV files, tables for the terminal, charts."""
