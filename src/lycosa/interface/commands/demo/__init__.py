"""What does `lycosa demo` show?"""
