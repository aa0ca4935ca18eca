"""What can be typed after `lycosa clicks`, and after `lycosa collect`?"""
