"""Text in and text out: functions to trees (`reader`), trees to text (`printer`), text to modules.

This is the only stage that knows files, lines and the spelling of Python. What stands between, the
passes of the pipeline, sees trees.
"""
