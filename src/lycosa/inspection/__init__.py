"""What happened, why, and is the crawl intact?"""
