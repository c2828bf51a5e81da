"""Tests of the offline models."""
