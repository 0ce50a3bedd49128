"""The five stores: how each kind of memory is written and read (design, 4 to 7).

Text in, values out, and the very text back; nothing here touches a disk or a clock.
"""
