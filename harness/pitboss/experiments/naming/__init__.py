"""The mistake that explains all failed sessions of a submission, by its name."""
