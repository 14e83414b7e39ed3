"""What an applicant describes: the site's models, its place, soils, covers, practices and schedule."""
