//! Tests of how sources are converted.

use super::prepare;

/// The script without the text that surrounds every script.
fn script(source: &str) -> String {
    let script = prepare(source).unwrap_or_else(|failure| panic!("{source}: {failure:?}"));
    script
        .javascript
        .strip_prefix("(async()=>{")
        .and_then(|rest| rest.strip_suffix("\n})()"))
        .unwrap()
        .to_owned()
}

/// Compares without regard to blanks, and checks that no word has moved to another line.
fn check(source: &str, expected: &str) {
    let script = script(source);
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words(&script), words(expected), "{source}");
    for (number, line) in script.lines().enumerate() {
        let original = source.lines().nth(number).unwrap_or_default();
        let mut letters = line.split(|letter: char| !letter.is_alphanumeric());
        let moved = letters.find(|word| *word != "return" && !original.contains(word));
        assert_eq!(moved, None, "{source}");
    }
}

#[test]
fn the_last_expression_is_the_value() {
    check("1+1", "return (1+1)");
    check("1+1;", "return (1+1);");
    check("const a = 1\na", "const a = 1 return (a)");
    check("a // last", "return (a) // last");
    check("await f()", "return (await f())");
    check("'use strict'", "return 'use strict'");
    check("const a = 1", "const a = 1");
    check("return 5", "return 5");
    check("", "");
    check("if (a) { b }", "if (a) { b }");
    check("a; type T = 1", "return (a); ;");
}

#[test]
fn objects_and_functions_are_recognised() {
    check("{a: 1}", "return (({a: 1} ))");
    check("({a: 1, b: 2})", "return (({a: 1, b: 2}))");
    check(
        "async () => { return 1 }",
        "return (async () => { return 1 })()",
    );
    check("() => 1;", "return (() => 1)();");
    check("(async () => 1)()", "return ((async () => 1)())");
    check(
        "async function main() { return 1 }",
        "return (async function main() { return 1 })()",
    );
    check("function f(a) {}", "function f(a) {}");
    check("export default async () => 1", "return (async () => 1)()");
    check(
        "export default function () { return 1 }",
        "return (function () { return 1 })()",
    );
    check("export default {a: 1}", "return ({a: 1})");
    check("export const a = 1; a", "const a = 1; return (a)");
}

#[test]
fn fences_are_blanked() {
    check("```js\n1+1\n```", "return (1+1)");
    check(
        "\n```typescript\nconst a: number = 1\na\n```\n",
        "const a = 1 return (a)",
    );
    check(
        "````
1
````",
        "return (1)",
    );
    check("`a`", "return (`a`)");
}

#[test]
fn types_are_blanked() {
    check("const a: number = 1", "const a = 1");
    check("let a!: string", "let a");
    check("const a = b as string", "const a = b");
    check("const a = <T>b", "const a = b");
    check("const a = b!.c!", "const a = b .c");
    check("const a = b satisfies T", "const a = b");
    check("const a = f<T>(1)", "const a = f (1)");
    check("new Map<string, number[]>()", "return (new Map ())");
    check(
        "function f<T extends U>(this: T, a?: T, ...b: T[]): a is U { return a }\nf(1)",
        "function f ( a , ...b ) { return a } return (f(1))",
    );
    check(
        "function f(a: string): void\nfunction f(a: any) {}\nf()",
        "; function f(a ) {} return (f())",
    );
    check(
        "interface A { a: 1 }\ntype B = {\n a: 1\n}\nconst c = 1",
        "; ; const c = 1",
    );
    check("declare const a: number\nconst b = 1", "; const b = 1");
    check(
        "const f = async <T,>(a: T): Promise<T> => a; 1",
        "const f = async (a ) => a; return (1)",
    );
    check("try {} catch (e: unknown) {}", "try {} catch (e ) {}");
    check("import type { A } from 'a'\n1", "; return (1)");
    check("for (const a of b as C[]) {}", "for (const a of b ) {}");
}

#[test]
fn types_of_classes_are_blanked() {
    check(
        "abstract class A<T> extends B<T> implements C, D<T> {\n\
         private readonly a: string = '';\n\
         static b?: number;\n\
         c!: T;\n\
         declare d: T;\n\
         [key: string]: unknown;\n\
         abstract e(): void;\n\
         public async f?(g?: T): Promise<void> {}\n\
         override get readonly(): T { return 1 as T }\n\
         }",
        "class A extends B { a = ''; static b ; c ; ; ; ; async f (g ) {} get readonly() { return 1 } }",
    );
}

#[test]
fn statements_stay_separate_without_their_types() {
    check("a as T\n(b)", "a ; return ((b))");
    check("const f = (a): {\n b: 1\n} => a", "const f = (a ) => a");
    check("a\ntype T = 1\n(b)", "a ; return ((b))");
}

#[test]
fn rejected_sources_have_a_location_and_a_hint() {
    let refused = |source: &str| {
        let failure = prepare(source).unwrap_err();
        let location = failure.location.unwrap();
        (
            failure.message,
            location.line,
            location.column,
            failure.hint,
        )
    };
    let (message, line, column, _) = refused("const a = 1\nconst = 2");
    assert!(message.starts_with("Syntax error: "), "{message}");
    assert_eq!((line, column), (2, 7));
    let (message, line, ..) = refused("1\nimport fs from 'fs'");
    assert_eq!(
        (message.as_str(), line),
        ("There is nothing to import (line 2, column 1)", 2)
    );
    let (_, line, column, hint) = refused("const a = 1;  enum B { C }");
    assert_eq!((line, column), (1, 15));
    assert_eq!(hint.as_deref(), Some("Use an object of constants."));
    assert!(
        refused("class A { constructor(private a: string) {} }")
            .0
            .contains("Parameter properties")
    );
    assert!(
        refused("await import('fs')")
            .0
            .contains("nothing to import")
    );
    assert!(refused("a\0b").0.contains("NUL"));
    assert!(refused("})(); (async()=>{").0.starts_with("Syntax error"));
}

#[test]
fn columns_are_those_of_the_source() {
    let script = prepare("  boom()").unwrap();
    let generated = script.javascript.find("boom").unwrap() + 1;
    assert_eq!(script.locations.column(1, generated), 3);
    assert_eq!(script.locations.column(2, 5), 5);
}
