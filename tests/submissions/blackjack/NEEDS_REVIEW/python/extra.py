#!/usr/bin/env python3
"""Poker dice, for one.

Type a number of dice.
"""
import sys

print("Dice: ", end="")
input()
sys.exit(3)
