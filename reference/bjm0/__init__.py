"""BJM0: values, aces, dealer, table and chances, from one seeded deck."""
