"""The book's pictures, a file per part: each takes plain numbers and returns a matplotlib figure.

Draw them inside `ragcore.explore.Figure`, which brings the book's style and the sliders.
"""
