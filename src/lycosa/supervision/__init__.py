"""Who starts, steers, restarts and stops processes?"""
