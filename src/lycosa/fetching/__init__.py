"""How is a page fetched, safely and within limits?"""
