"""What stands beside the pages: data files, feed, badges, site map."""
