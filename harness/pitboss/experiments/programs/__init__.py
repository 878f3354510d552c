"""Programs built and run beside a reference: known mistakes in folders, patches, changes of the reference's source."""
