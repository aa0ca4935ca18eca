"""What lies where in a crawl's folder?"""
