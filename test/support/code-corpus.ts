/**
 * Code that tries to take what it must not have. Each is an expression that is a function, as a rule has it. Those that reach
 * for the host also run against `node:vm`, where they must succeed: that shows that the attempt is a real one.
 */

/** What must come of each: a failure with this reason, or this body. */
type Outcome = 'codeFailed' | 'codeTooLong' | { readonly body: string };

export interface HostileCode {
  readonly what: string;
  readonly source: string;
  readonly outcome: Outcome | readonly Outcome[];
}

const hostile = (what: string, source: string, outcome: HostileCode['outcome']): HostileCode => ({
  what,
  source,
  outcome,
});

/** They end soon, by themselves or by a bound of the interpreter. */
export const QUICK: readonly HostileCode[] = [
  hostile('deep recursion', '() => { const f = () => f() + 1; return f(); }', 'codeFailed'),
  hostile('deep JSON', '() => JSON.parse("[".repeat(500_000))', 'codeFailed'),
  hostile('nested eval', '() => { const f = (n) => eval("f(n + 1)"); return f(0); }', 'codeFailed'),
  hostile('nested parentheses', '() => eval("(".repeat(20_000) + ")".repeat(20_000))', 'codeFailed'),
  hostile('nested parentheses of its own', `${'('.repeat(20_000)}() => 1${')'.repeat(20_000)}`, 'codeFailed'),
  hostile('a result that is a circle', '() => { const a = {}; a.a = a; return a; }', 'codeFailed'),
  hostile('a getter that throws', '() => ({ get a() { throw new Error("no"); } })', 'codeFailed'),
  hostile(
    'an error whose text throws',
    '() => { throw { get message() { throw 1; }, toString() { throw 2; } }; }',
    'codeFailed',
  ),
  hostile('a proxy that throws', '() => new Proxy({}, { ownKeys() { throw new Error("no"); } })', 'codeFailed'),
  hostile(
    'a proxy that is thrown',
    '() => { throw new Proxy({}, { has() { throw 1; }, get() { throw 2; } }); }',
    'codeFailed',
  ),
  hostile('a symbol', '() => Symbol("a")', 'codeFailed'),
  hostile('a symbol that is thrown', '() => { throw Symbol("a"); }', 'codeFailed'),
  hostile('a function', '() => () => 1', 'codeFailed'),
  hostile('no function', '42', 'codeFailed'),
  hostile('no JavaScript', '() => {', 'codeFailed'),
  hostile('what ends the expression', '() => 1) , (function(){ return 2 }', { body: '2' }),
  hostile('a large result', '() => "x".repeat(1_048_577)', 'codeFailed'),
  hostile('a result that is large in bytes', '() => "\\u20ac".repeat(400_000)', ['codeFailed', 'codeTooLong']),
  hostile(
    'a large result past its bound',
    '() => { Object.prototype.toJSON = () => ({ body: "x".repeat(1_100_000) }); return "x"; }',
    ['codeFailed', 'codeTooLong'],
  ),
  hostile('a promise that never ends', '() => new Promise(() => {})', 'codeFailed'),
  hostile('a promise that is refused', 'async () => { throw new Error("no"); }', 'codeFailed'),
  hostile('then that throws', '() => ({ get then() { throw new Error("no"); } })', 'codeFailed'),
  hostile('JSON that is replaced', '() => { JSON.stringify = () => "{}"; JSON.parse = () => 1; return { a: 1 }; }', {
    body: '{"a":1}',
  }),
  hostile(
    'prototypes that are changed',
    '() => { Object.prototype.state = "x"; Array.prototype.toJSON = () => 1; String.prototype.slice = null; return "x"; }',
    { body: 'x' },
  ),
  hostile('toJSON that lies', '() => ({ toJSON: () => undefined })', 'codeFailed'),
  hostile('a large state', '() => { $sharedState.a = "x".repeat(70_000); return "x"; }', 'codeFailed'),
  hostile('a state that cannot be written', '() => { $sharedState.a = 1n; return "x"; }', 'codeFailed'),
];

/** They end at the deadline, or with the thread. */
export const SLOW: readonly HostileCode[] = [
  hostile('an endless loop', '() => { for (;;); }', 'codeTooLong'),
  hostile(
    'an endless loop that catches',
    '() => { for (;;) try { for (;;); } catch {} finally { continue; } }',
    'codeTooLong',
  ),
  hostile('an endless loop of jobs', 'async () => { for (;;) await null; }', 'codeTooLong'),
  hostile('a pattern that backtracks', '() => /^(a+)+$/.test("a".repeat(40) + "b")', 'codeTooLong'),
  hostile('an endless getter of the result', '() => ({ get a() { for (;;); } })', 'codeTooLong'),
  hostile('an error whose text never ends', '() => { throw { get message() { for (;;); } }; }', 'codeTooLong'),
  hostile('strings that are kept', '() => { const a = []; for (;;) a.push("x".repeat(10_000) + a.length); }', [
    'codeTooLong',
    'codeFailed',
  ]),
  hostile('an array that grows', '() => { const a = []; for (;;) a.push(a.length, {}); }', [
    'codeTooLong',
    'codeFailed',
  ]),
  hostile('a sparse array as text', '() => new Array(1e9) + ""', ['codeTooLong', 'codeFailed']),
  hostile('typed arrays', '() => { const a = []; for (;;) a.push(new Float64Array(1e6).fill(1)); }', [
    'codeTooLong',
    'codeFailed',
  ]),
  hostile('a string that doubles', '() => { let a = "x"; for (;;) a += a; }', ['codeTooLong', 'codeFailed']),
  hostile(
    'a sort that compares for ever',
    '() => { const a = Array.from({ length: 1e6 }, (_, i) => i % 7); for (;;) a.sort(() => 1); }',
    ['codeTooLong', 'codeFailed'],
  ),
  hostile('a console without end', '() => { for (;;) console.log("x".repeat(100_000)); }', [
    'codeTooLong',
    'codeFailed',
  ]),
  hostile('a deep result', '() => { let a = []; for (let i = 0; i < 50_000; i++) a = [a]; return a; }', [
    'codeTooLong',
    'codeFailed',
  ]),
  hostile('big integers', '() => { let a = 3n; for (;;) a *= a; }', ['codeTooLong', 'codeFailed']),
];

/** A call of each returns "host" where it has reached the host's process. */
export const ESCAPES: readonly (readonly [what: string, source: string])[] = (
  [
    ['the constructor of its arguments', 'a.constructor.constructor'],
    ['the constructor of a function', '(() => 1).constructor'],
    ['the constructor of the global object', 'globalThis.constructor.constructor'],
    ['the constructor of a value in its arguments', 'a.requestHeaders.constructor.constructor'],
    [
      'the constructor of what an error comes from',
      '(() => { try { null.x } catch (e) { return e.constructor.constructor } })()',
    ],
    [
      'the constructor of an overflow',
      '(() => { const f = () => f(); try { f() } catch (e) { return e.constructor.constructor } })()',
    ],
    [
      'the caller of the stack',
      '(() => { Error.prepareStackTrace = (_, s) => s; const s = new Error().stack; return s[0]?.getThis?.()?.constructor?.constructor ?? Function })()',
    ],
    ['an async function', '(async () => 1).constructor'],
    ['a generator', '(function* () {}).constructor'],
  ] as const
).map(([what, maker]) => [
  what,
  `(a) => { try { const got = (${maker})("return typeof process === 'object' ? 'host' : 'none'")(); return typeof got === 'string' ? got : String(got?.next?.().value ?? 'none'); } catch { return 'none'; } }`,
]);
