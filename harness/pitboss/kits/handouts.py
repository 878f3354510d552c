"""A handout: what the author says, what may differ, public sessions, and commands; as Markdown and as an HTML page.

HTML tags in the Markdown are escaped. Only this module imports markdown_it.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import markupsafe
import msgspec

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.assignments.options import stage_features
from pitboss.errors import UsageError
from pitboss.extras import missing_for
from pitboss.kits.samples import Sample, data_files_of, declaration_file_of, sample_name
from pitboss.model.comparison_policy import IGNORABLE, OWN_TEXT, FreeText, Policy, Tolerance
from pitboss.model.transcript import ExitCode
from pitboss.model.words import joined
from pitboss.reports.finding_sentences import construct_in_words
from pitboss.reports.templates import page, style

if TYPE_CHECKING:
    from markdown_it.token import Token

#: Text between « and » in an example session: a user typed it.
_TYPED_TEXT = re.compile(r"«([^»\n]*)»")


class Heading(msgspec.Struct, frozen=True):
    """A heading that a table of contents links to, by its id."""

    text: str
    id: str


class Html(msgspec.Struct, frozen=True):
    """The HTML of a text, and the headings of the second level in that HTML."""

    body: markupsafe.Markup
    headings: tuple[Heading, ...]


def missing_library(what: str) -> str:
    """Returns a message on how to install the library that the feature `what` needs; empty if it is installed."""
    return missing_for(what, "markdown_it")


def as_html(text: str) -> Html:
    """Converts a text from Markdown to HTML; in blocks of code, text between « and » is marked as typed.

    Needs the library markdown-it-py, see `missing_library`.
    """
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("fence", _render_code_block)
    parser.add_render_rule("code_block", _render_code_block)
    tokens = parser.parse(text)
    headings: list[Heading] = []
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h2":
            inline_token = tokens[index + 1]  # the text of the heading
            heading = Heading(_plain_text(inline_token), f"part-{len(headings) + 1}")
            token.attrSet("id", heading.id)
            headings.append(heading)
    return Html(markupsafe.Markup(parser.renderer.render(tokens, parser.options, {})), tuple(headings))


def _plain_text(inline: Token) -> str:
    return "".join(child.content for child in inline.children or ())


def _render_code_block(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """Returns the HTML of a block of code, which can be reached and scrolled by keyboard."""
    content = str(markupsafe.escape(tokens[index].content.rstrip("\n")))
    newline = "\n" if content.startswith("\n") else ""  # HTML drops a newline right after <pre>
    return f'<pre tabindex="0">{newline}{_TYPED_TEXT.sub(_typed_span, content)}</pre>\n'


def _typed_span(match: re.Match[str]) -> str:
    return f'<span class="typed">«{match[1]}»</span>'


#: If more cases than this have the same exit code, only the first of them is named.
_MAX_NAMED = 4
_CHECKER_SENTENCE = "This is one correct session: the course's own checker decides whether other sessions are correct."


def handout_values(
    assignment: Assignment, samples: dict[str, tuple[Sample, ...]], files: Sequence[str], called: str, check: str
) -> dict[str, object]:
    """The values for the template of a handout.

    `samples` are by the name of the stage, `files` are the names of the sources, and `called` is the assignment's name
    on the command line. The command `check` checks all stages.
    """
    stages = assignment.stages
    required_stages = [stage for stage in stages if not stage.is_optional] or list(stages)
    policies = {stage.policy for stage in stages}
    has_pauses = any(sample.has_pauses for stage_samples in samples.values() for sample in stage_samples)
    return {
        "assignment": assignment,
        "title": assignment.title,
        "files": files,
        "has_pauses": has_pauses and any(policy.pauses == "exact" for policy in policies),
        "shows_pauses": has_pauses,
        "leeway": (
            *(leeway_sentences(required_stages[-1].policy) if len(policies) == 1 else ()),
            *choice_sentences(stages),
        ),
        "declared": declaration_file_of(assignment),
        "choices": _choices(stages),
        "limits": required_stages[-1].limits,
        "returns_0": not any(case.exit_code for stage in stages for case in stage.spec.cases),
        "samples": samples,
        "rules": _rules_by_stage(stages),
        "policies": policies,
        "commands": _commands(required_stages, called, check),
        "text_of": _handout_text,
        "joined": joined,
        "fenced": fenced,
        "data_files_of": data_files_of,
        "leeway_of": leeway_sentences,
        "requirements_of": requirement_sentences,
        "invocation_of": _invocation_sentences,
        "exit_codes_of": _exit_codes_sentence,
    }


def _choices(stages: Sequence[Stage]) -> dict[str, str]:
    """The choices that programs of these stages have, in words, by the name of the option."""
    options = [option for stage in stages if not stage.is_manual for option in stage.options if option.is_free]
    return {option.name: option.choice for option in options if option.choice}


def _rules_by_stage(stages: Sequence[Stage]) -> dict[str, list[tuple[str, str]]]:
    """The names and words of the rules, by the stage that explains them: the first that has the rule."""
    explained: set[tuple[str, str]] = set()
    rules_by_stage = {}
    for stage in stages:
        with_others = [rule for option in stage_features(stage) for rule in option.with_others]
        rules = [(rule.name, rule.says) for rule in (*stage.rules, *with_others) if rule.says]
        rules_by_stage[stage.name] = [rule for rule in rules if rule not in explained]
        explained.update(rules)
    return rules_by_stage


def _exit_codes_sentence(stage: Stage) -> str:
    """A sentence on the exit codes of a stage's public cases; empty without such cases."""
    names_by_code: dict[ExitCode, list[str]] = {}
    for case in stage.spec.public_cases:
        names_by_code.setdefault(case.exit_code, []).append(f"“{sample_name(stage, case)}”")
    if not names_by_code:
        return ""
    words = {code: "any number but 0" if code == "nonzero" else str(code) for code in names_by_code}
    if len(words) == 1:
        return f"Its exit code is compared: in the public cases it is {words.popitem()[1]}."
    clauses = []
    # Numbers come first, then "nonzero".
    for code, names in sorted(names_by_code.items(), key=lambda item: (isinstance(item[0], str), item[0])):
        cases = joined(names) if len(names) <= _MAX_NAMED else f"{len(names)} cases such as {names[0]}"
        clauses += [f"{words[code]} in {cases}"] if code else []
    zero = "0, but " if 0 in words else ""
    return f"Its exit code is compared: in the public cases it is {zero}{joined(clauses)}."


def _invocation_sentences(stage: Stage) -> list[str]:
    """Sentences on the arguments, environment, files and standard error in a stage's public cases."""
    invocations = [stage.invocation, *(case.invocation for case in stage.spec.public_cases)]
    files = [file for invocation in invocations for file in invocation.files or ()]
    variables = [variable for invocation in invocations for variable in invocation.shown_variables]
    outputs = [output.name for invocation in invocations for output in invocation.outputs]
    kept = [name for invocation in invocations for run in invocation.runs_before for name in run.files]
    arguments = [shlex.join(invocation.arguments) for invocation in invocations if invocation.arguments][:1]
    inputs = [invocation.started for invocation in invocations if invocation.input_file and invocation.started][:1]
    sentences = [f"It is started with arguments, such as `{stage.name} {argument}`." for argument in arguments]
    sentences += [
        f"Its standard input may be a file, as in {code_span(started.command_line(stage.name))}." for started in inputs
    ]
    sentences += [
        sentence.format(joined([code_span(name) for name in dict.fromkeys(names)]))
        for sentence, names in (
            ("In its environment it may find {}.", variables),
            ("It finds {} in the folder where it runs.", [file.name for file in files]),
            ("You may hand in your own version of {}.", [file.name for file in files if file.may_be_submitted]),
            ("It writes {} in the folder where it runs; the content is compared, too.", outputs),
            ("It may be run several times in one folder: then {} is as the previous run left it.", sorted(kept)),
        )
        if names
    ]
    if stage.invocation.stderr == "ignored":
        sentences.append("What it writes to its standard error does not matter.")
    elif stage.invocation.stderr == "compared":
        sentences.append("What it writes to its standard error is compared separately from its output.")
        if error_cases := [f"“{case.name}”" for case in stage.spec.public_cases if case.invocation.accepts_any_errors]:
            cases = joined(error_cases)
            sentences.append(f"If something is wrong, as in {cases}, it reports the error there in words of your own.")
    return sentences


def _handout_text(path: Path | None) -> str:
    """The text of an instructor's Markdown file; empty without a file."""
    if path is None:
        return ""
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: the handout cannot be read: {error}") from error


def code_span(text: str) -> str:
    """A one-line text as inline code.

    >>> code_span("a `b`")
    '`` a `b` ``'
    """
    fence = "`" * (_longest_run(text) + 1)
    return f"{fence} {text} {fence}" if len(fence) > 1 else f"`{text}`"


def fenced(text: str) -> str:
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}text\n{text}\n{fence}"


def _longest_run(text: str) -> int:
    """The number of backticks in the longest run of them."""
    return max(map(len, re.findall("`+", text)), default=0)


def _commands(stages: Sequence[Stage], called: str, check: str) -> list[tuple[str, str]]:
    """Commands for these stages, padded to one width, each with a description; they work in the folder of the kit.

    `called` is the assignment's name on the command line, `check` checks all stages.
    """
    first, last, option = stages[0].name, stages[-1], f"--assignment {shlex.quote(called)}"
    commands = [(check, "everything: all public cases")]
    commands += [(f"pitboss check {first} {option}", f"{first} only")] if len(stages) > 1 else []
    commands.append((f"pitboss hunt {last.name} {option}", "look for the shortest run that goes wrong"))
    seed = " --seed 7" if last.is_seeded else ""
    commands.append((f"pitboss play {last.name} {option}{seed}", "try out how it should behave"))
    width = max(len(command) for command, _ in commands)
    return [(command.ljust(width), description) for command, description in commands]


def handout_files(title: str, markdown: str) -> dict[str, str]:
    """The files of a handout by name: Markdown, and an HTML page unless `why_no_page` returns a reason."""
    files = {"HANDOUT.md": markdown}
    return files if why_no_page() else {**files, "HANDOUT.html": handout_page(title, markdown)}


def why_no_page() -> str:
    """Why a handout has no HTML page, and what to install to get the page; empty if the handout has a page."""
    missing = missing_library("its page")
    return f"the handout is HANDOUT.md alone; {missing}" if missing else ""


def handout_page(title: str, markdown: str) -> str:
    """A self-contained HTML page of a text in Markdown."""
    html = as_html(markdown)
    values = {
        "title": title,
        "body": html.body,
        "headings": html.headings,
        "style": style(),
        "own_style": style("handout.css"),
    }
    return page("handout.html.j2", values)


def compared_parts_sentence(policy: Policy, *, has_pauses: bool) -> str:
    if policy.checker is not None:
        return _CHECKER_SENTENCE
    sentence = "Every character and every pause counts" if has_pauses else "Every character counts"
    if policy.ignored:
        ignored = joined([IGNORABLE[name].phrase for name in policy.ignored], "and")
        sentence = f"Every character counts; {ignored} do not"
    allows_other_texts = (
        policy.free or policy.alternatives or policy.not_judged or policy.begins or policy.has_line_rules
    )
    return f"{sentence}{', and some texts may be worded otherwise, as the handout says' if allows_other_texts else ''}."


def leeway_sentences(policy: Policy) -> tuple[str, ...]:
    """Sentences on what a program may print differently."""
    if policy.checker is not None:
        return (_CHECKER_SENTENCE,)
    sentences = [f"{IGNORABLE[name].handout_phrase.capitalize()} do not matter." for name in policy.ignored]
    sentences += [
        sentence.format(f"`{pattern}` (a regular expression)")
        for sentence, patterns in (
            ("A line with {} may be anywhere.", policy.not_judged),
            ("Where the samples show a line with {}, print any line.", policy.free_lines),
            ("Where the samples show a line with {}, print any line that matches it.", policy.matches),
            ("Neighbouring lines with {} may come in any order.", policy.any_order),
        )
        for pattern in patterns
    ]
    sentences += map(_number_sentence, policy.numbers)
    if policy.begins:
        sentences.append(f"Before the first line with `{policy.begins}` (a regular expression) you may print anything.")
    for group in policy.alternatives:
        first, *others = (text for text in group if text.strip())
        allowed = [f"`{_on_one_line(text)}`" for text in dict.fromkeys(others) if _is_worth_naming(text, first)]
        allowed += ["nothing at all"] if "" in group else []
        if allowed:
            sentence = f"Instead of `{_on_one_line(first)}` you may print {joined(allowed, 'or')}."
            own_text = " Each … is for any text without a colon, or none." if OWN_TEXT in sentence else ""
            sentences.append(sentence.replace(OWN_TEXT, "…") + own_text)
    sentences += map(_free_text_sentence, policy.free)
    return tuple(sentences)


def _number_sentence(tolerance: Tolerance) -> str:
    distances = [f"{tolerance.within:f}"] if tolerance.within else []
    distances += [f"{tolerance.relative:f} of its value"] if tolerance.relative else []
    line_condition = ""
    if tolerance.lines:
        patterns = joined([f"`{pattern}`" for pattern in tolerance.lines], "or")
        line_condition = f" in lines with {patterns} (regular expressions)"
    distance = joined(distances or ["0"], "or")
    return f"A number{line_condition} may be off by {distance}."


def _free_text_sentence(free: FreeText) -> str:
    """A sentence on a text that a program may word freely."""
    same = "the same each time" + (" but for its numbers and what was typed" if free.numbers_vary else "")
    if free.when:
        omission_sentence = " You may also print nothing." if free.may_be_missing else ""
        permission = f"you may print a text of your own instead, {same}."
        return f"When {free.when}, our program prints `{free.text.strip()}`; {permission}{omission_sentence}"
    if free.kind == "after":
        return f"After `{free.text}` you may print a text of your own, {same}."
    omission = ", or none at all" if free.may_be_missing else ""
    return f"Instead of `{free.text.strip()}` you may print a text of your own, {same}{omission}."


def _on_one_line(text: str) -> str:
    return text.strip("\n").replace("\n", "` and on the next line `")


def _is_worth_naming(text: str, first: str) -> bool:
    """Whether a handout should name an alternative to the text `first`.

    The difference must be visible. A text with invisible characters is accepted without being recommended; so is a typo
    in a text of one character: a letter in place of another character, or the reverse.
    """
    has_invisible = any(unicodedata.category(character) in ("Cf", "Cc") and character != "\n" for character in text)
    is_typo = len(text) == len(first) == 1 and text.isalpha() != first.isalpha()
    return not has_invisible and not is_typo and _on_one_line(text).strip() != _on_one_line(first).strip()


def requirement_sentences(stage: Stage) -> tuple[str, ...]:
    """Sentences on the constructs that sources of the stage must or must not have."""
    sentences = []
    for requirement in stage.requirements:
        construct = construct_in_words(requirement.construct, requirement.called)
        deduction = f" ({float(requirement.points):g} points)" if requirement.points else ""
        demand = f"The program must {'not ' if requirement.is_forbidden else ''}have {construct}"
        sentences.append(f"{demand}{deduction}.{f' {requirement.says}' if requirement.says else ''}")
    return tuple(sentences)


def choice_sentences(stages: Sequence[Stage]) -> tuple[str, ...]:
    """Sentences on options whose value a program may choose, and on tolerated behaviour.

    Features, and choices that the author describes, are left out.
    """
    options = [option for stage in stages for option in stage.options]
    excluded = {option.name for option in options if option.feature_rule or not option.is_free}
    free_options = {option.name: option for option in options if option.name not in excluded and not option.choice}
    tolerated = {variant.name: None for stage in stages for variant in stage.tolerated}
    return (
        *(
            f"You may choose: {joined([value.description for value in option.values], 'or')}."
            for option in free_options.values()
        ),
        *(f"This is right too: {name}." for name in tolerated),
    )
