"""The two transformations, and the splicing that fills them with rules."""
