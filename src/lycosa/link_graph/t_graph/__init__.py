"""How many downloads is a passage away from a target (T-Graph)?"""
