"""The functions whose derivatives are printed in this folder, one construct of the language each."""
