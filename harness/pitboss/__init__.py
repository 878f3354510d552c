"""pitboss: an autograder for staged console programs. `docs/architecture.md` says what each package here is for."""
