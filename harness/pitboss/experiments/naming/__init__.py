"""Diagnosis: names the mistake that explains all failed sessions of a submission."""
