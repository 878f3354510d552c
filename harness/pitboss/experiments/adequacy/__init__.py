"""Evidence before acceptance: sessions are run until they could have shown each known mistake."""
