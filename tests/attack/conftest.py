"""What every run of the attack says of itself."""

from .lengths import LONG, SEED


def pytest_report_header():
    return f"attack: {'long' if LONG else 'short'}, DEZERO_ATTACK_SEED={SEED}"
