"""What an ordinance asks: its numbers as data, and the ruling on a site's load."""
