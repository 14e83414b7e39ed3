"""The calculation: from a site to its sediment load by row, by practice and by 12-month window."""
