"""What stays of a reflection: the files of reflection v2, "After Approval".

Everything here is text in, text out. A file may have been edited by hand: what is
not understood stays as it was typed, and words of others never become structure.
"""
