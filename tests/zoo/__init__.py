"""Plain functions of every construct of the language, with arguments at which they are smooth."""
