"""The tape: calls as they are recorded, and the arrays that note them."""
