import re

import pytest

from pitboss.reports.templates import PAGES

STYLE = (PAGES / "style.css").read_text()
# The colours are defined twice: first for the light scheme, then in a media query for the dark one.
_, LIGHT, DARK = re.split(r":root \{", STYLE)[:3]
#: For each scheme, its colours by name.
SCHEMES = {
    name: dict(re.findall(r"--(\w+): (#\w+)", text.partition("}")[0]))
    for name, text in (("light", LIGHT), ("dark", DARK))
}
#: The selector of each rule outside of media queries, and its values by property.
RULES = [
    (selector.strip(), dict(re.findall(r"([\w-]+): ([^;]+);", body)))
    for selector, body in re.findall(r"([^{}]+)\{([^{}]*)\}", re.sub(r"@media[^{]*\{.*?\}\s*\}|/\*.*?\*/", "", STYLE))
]


def rgb(colour):
    digits = colour.removeprefix("#")
    digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    return tuple(int(digits[start : start + 2], 16) / 255 for start in (0, 2, 4))


def luminance(colour):
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(first_colour, second_colour):
    darker, lighter = sorted((luminance(first_colour), luminance(second_colour)))
    return (lighter + 0.05) / (darker + 0.05)


def backgrounds(scheme):
    """The name and colour of each background in the style sheet; a translucent one is mixed with `shade`."""
    colours = SCHEMES[scheme]
    for _, values in RULES:
        background = values.get("background", "")
        if plain := re.fullmatch(r"var\(--(\w+)\)", background):
            yield plain[1], rgb(colours[plain[1]])
        elif mixed := re.fullmatch(r"color-mix\(in srgb, var\(--(\w+)\) (\d+)%, transparent\)", background):
            share, shade = int(mixed[2]) / 100, rgb(colours["shade"])
            yield (
                f"{mixed[1]} over shade",
                tuple(
                    share * part + (1 - share) * shade_part
                    for part, shade_part in zip(rgb(colours[mixed[1]]), shade, strict=True)
                ),
            )
        else:
            assert not background, f"a background that is not measured: {background}"


def text_colours():
    """The names of the colours that the style sheet gives to text."""
    names = {values["color"] for _, values in RULES if "color" in values}
    assert all(re.fullmatch(r"var\(--\w+\)", name) for name in names), names
    return sorted(name.removeprefix("var(--").removesuffix(")") for name in names)


#: Names of text colours that never occur on a translucent background: those of verdicts, links and line numbers.
NOT_IN_ROWS = {"good", "bad", "link", "seen", "dim"}


def test_contrast_is_calculated_as_in_wcag():
    assert contrast(rgb("#000"), rgb("#fff")) == pytest.approx(21)
    # The blue that a browser gives to links, on our dark background.
    assert contrast(rgb("#0000ee"), rgb("#15191d")) == pytest.approx(1.9, abs=0.05)
    assert contrast(rgb("#777777"), rgb("#ffffff")) == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_text_colour_has_enough_contrast_to_every_background(scheme):
    assert SCHEMES["light"].keys() == SCHEMES["dark"].keys()
    contrasts = {
        (text_colour, name): round(contrast(rgb(SCHEMES[scheme][text_colour]), background), 2)
        for text_colour in text_colours()
        for name, background in backgrounds(scheme)
        if not (name.endswith(" over shade") and text_colour in NOT_IN_ROWS)
    }
    assert len(contrasts) >= 20  # fewer would mean that the style sheet was not read correctly
    assert {pair: value for pair, value in contrasts.items() if value < 4.5} == {}


@pytest.mark.parametrize("selector", ["body", "a", "a:visited"])
def test_elements_with_a_browser_default_colour_have_their_own_colour(selector):
    assert any(selector in names.split(", ") and "color" in values for names, values in RULES)
