"""Programs in C."""

from __future__ import annotations

from pitboss.model.languages.record import COMMENT, QUOTED, Language, Tool

_HELLO = """\
#include <stdio.h>

int main(void)
{
    char name[80];
    printf("Name: ");
    fflush(stdout);
    if (scanf("%79s", name) == 1) printf("Hello, %s!\\n", name);
    return 0;
}
"""

C = Language(
    "c",
    "C",
    suffixes=(".c",),
    headers=(".h",),
    tools=(Tool("cc", ("gcc",)),),
    hello=_HELLO,
    not_code=rf"(?P<comment>{COMMENT})|{QUOTED}",
    has_kit=True,
)
