"""Numbers to work out from what is shown: templates draw fresh parameters, a tool knows the answer.

Pure: the caller brings the randomness.
"""
