"""What can be typed after `lycosa lab`?"""
