"""What can be typed after `lycosa topics`?"""
