"""Programs in C++."""

from __future__ import annotations

from pitboss.model.languages.record import COMMENT, QUOTED, Language, Tool

_HELLO = """\
#include <iostream>
#include <string>

int main()
{
    std::string name;
    std::cout << "Name: " << std::flush;
    if (std::getline(std::cin, name)) std::cout << "Hello, " << name << "!" << std::endl;
}
"""

CPP = Language(
    "cpp",
    "C++",
    suffixes=(".cpp", ".cc", ".cxx"),
    headers=(".h", ".hpp", ".hh", ".hxx"),
    also_called=("c++",),
    tools=(Tool("c++", ("g++",)),),
    hello=_HELLO,
    uncaught=r"terminate called after throwing an instance of '([^'\n]+)'(?:\r?\n +what\(\): +([^\n]+))?",
    not_code=rf'(?P<comment>{COMMENT})|R"(?P<mark>[^()\\\s"]{{0,16}})\(.*?(?:\)(?P=mark)"|\Z)|{QUOTED}',
    has_kit=True,
)
