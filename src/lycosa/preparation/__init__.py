"""What happens before a crawl?"""
