"""Testing specs by mechanical changes of the reference, each played against its own specs."""
