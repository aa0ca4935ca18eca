"""How do people and programs use Lycosa?"""
