//! Scripts that are almost right, and frames that are not.

#[path = "../../../../windlass-core/tests/shared/mutate.rs"]
mod mutate;

use super::prepare;
use crate::worker::STACK_BYTES;

const SCRIPTS: &[&str] = &[
    "const task: Task = await tasks.create({title: 'x'} as Input); return task.id",
    "interface A<T extends object = {}> { a?: T; readonly b: string[] }\nenum X { a, b = 2 }\n({a: 1})",
    "abstract class C<T> extends D<T> implements E { private x!: number; constructor(public y?: string) { super() } get z(): this is F { return true } declare w: 1 }",
    "function f(this: Window, a?: number, ...rest: any[]): asserts a is number { return <number>a! satisfies unknown }",
    "type T = { [K in keyof U as `${K}x`]-?: U[K] extends infer V ? V : never }\nlet a = b < c > (d)",
    "```ts\nawait Promise.all([1, 2].map(async (n): Promise<number> => n))\n```",
    "label: for (const x of xs) { if (x) continue label }\nimport type { A } from 'a'\nexport {}",
    "`a${`b${1 as number}`}` + /[/]\\//g.source // é 日本 🚀",
    "try { throw new Error('x') } catch (e: unknown) { e } finally { }",
    "using x = y; @decorator() class A { @b c: string; static { } }",
];

#[test]
fn fuzz_scripts() {
    let fuzzing = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(|| {
            mutate::fuzz("scripts", 3_000, |mutator| {
                let source = mutator.text(SCRIPTS);
                // What is left of a script has as many lines as before, so that places of errors
                // are right.
                if let Ok(script) = prepare(&source) {
                    assert!(script.javascript.len() < 4 * source.len() + 1_000);
                }
            });
        });
    fuzzing.unwrap().join().unwrap();
}

#[test]
fn fuzz_frames_of_workers() {
    let frames: &[&[u8]] = &[
        &[5, 0, 0, 0, 0, 1, 2, 3, 4],
        &[9, 0, 0, 0, 1, 4, 0, 0, 0, b'a', b'b', b'c', b'd'],
        &[1, 0, 0, 0, 2],
        &[12, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4],
        b"\xff\xff\xff\xff\x00",
    ];
    mutate::fuzz("frames", 20_000, |mutator| {
        crate::wire::read_as_both_sides(&mutator.bytes(frames));
    });
}
