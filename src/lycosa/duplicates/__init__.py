"""Are these two the same page: by URL, by canonical link, by text?"""
