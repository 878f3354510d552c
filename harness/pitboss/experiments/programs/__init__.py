"""Programs that are built and run beside a reference: known mistakes in folders, patches, changes of its own source."""
