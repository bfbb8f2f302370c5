/**
 * One WebAssembly module of QuickJS with its memory, and the contexts in it: a runtime for each owner, and in that a context
 * for each code.
 *
 * The memory has a maximum, which is the bound that holds: QuickJS's own limit counts little of what strings take. After
 * anything but a value or an exception of the guest, nothing in the module is trusted any more: the generation ends, and is
 * dropped as a whole, since disposing what is broken can abort. Nothing is asked of values of the guest but texts: to show
 * its exceptions would run its getters.
 */
import { readFileSync } from 'node:fs';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import { quickJs } from '../base/program-files.ts';
import { CODE_MEMORY_BYTES_MAX, CODE_MS } from '../limits.ts';
import { expressionOf, GUEST_SOURCE, statementsOf } from './guest.ts';
import { ThreadTime } from './thread-time.ts';

/** Contexts of all owners; the one that was used longest ago leaves. */
const CONTEXTS_MAX = 64;
/** More overflows the stack of the host. */
const GUEST_STACK_BYTES = 65_536;
const PAGE_BYTES = 65_536;
/** The module does not start with less. */
const FIRST_PAGES = 256;
/** Jobs that are run until the time is looked at. */
const JOBS_AT_ONCE = 500;

interface GuestContext {
  readonly ownerId: string;
  readonly context: QuickJSContext;
  readonly functions: Readonly<Record<'compile' | 'call' | 'take', QuickJSHandle>>;
  /** Why its code cannot be called; '' for none. */
  readonly problem: string;
}

interface OwnerRuntime {
  readonly runtime: QuickJSRuntime;
  contexts: number;
}

/** The guest has neither answered nor thrown: it ran out of time, of memory, or has broken something. */
export class GuestEnded extends Error {
  readonly isTooLong: boolean;

  constructor(isTooLong: boolean) {
    super(isTooLong ? `takes longer than ${CODE_MS} ms` : 'cannot run: it needs too much memory, or nests too deeply');
    this.isTooLong = isTooLong;
  }
}

/** The parts that are used: the types of Node.js lack them. */
declare const WebAssembly: {
  readonly Memory: new (pages: { initial: number; maximum: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array) => object;
};

interface WasmMemory {
  readonly buffer: ArrayBufferLike;
}

let compiled: object | undefined;

export class Generation {
  readonly #module: QuickJSWASMModule;
  readonly #memory: WasmMemory;
  readonly #owners = new Map<string, OwnerRuntime>();
  /** The one that was used longest ago comes first. */
  readonly #contexts = new Map<string, GuestContext>();
  readonly #time = new ThreadTime();

  private constructor(module: QuickJSWASMModule, memory: WasmMemory) {
    this.#module = module;
    this.#memory = memory;
  }

  static async start(): Promise<Generation> {
    const { variant, wasmPath } = quickJs();
    compiled ??= new WebAssembly.Module(readFileSync(wasmPath));
    const wasmMemory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: CODE_MEMORY_BYTES_MAX / PAGE_BYTES });
    const own = newVariant(variant, { wasmModule: compiled, wasmMemory, log: () => undefined });
    return new Generation(await newQuickJSWASMModuleFromVariant(own), wasmMemory);
  }

  /** Memory never shrinks: a generation that has needed much is replaced. */
  get isUsedUp(): boolean {
    return this.#memory.buffer.byteLength > CODE_MEMORY_BYTES_MAX / 2;
  }

  /**
   * @param input As guest.ts has it, JSON.
   * @returns What the guest answers, JSON of it, or why its code is not a function.
   * @throws GuestEnded, or whatever the module throws: the generation must not be used again.
   */
  call(ownerId: string, source: string, input: string): { readonly output: string } | { readonly problem: string } {
    const key = `${ownerId}\n${source}`;
    const guest = this.#contexts.get(key) ?? this.#newContext(ownerId, source);
    this.#contexts.delete(key);
    this.#contexts.set(key, guest);
    if (this.#contexts.size > CONTEXTS_MAX) this.#disposeOldest();
    if (guest.problem !== '') return { problem: guest.problem };
    this.#time.begin();
    let output = this.#ask(guest, 'call', input);
    const { runtime } = guest.context;
    while (output === '' && runtime.hasPendingJob()) {
      const ran = runtime.executePendingJobs(JOBS_AT_ONCE);
      if (ran.error !== undefined || this.#time.check()) throw this.#ended();
      output = this.#ask(guest, 'take');
    }
    return output === '' ? { problem: 'its promise never settles' } : { output };
  }

  /** @returns Why each cannot be parsed; '' for none. Runs nothing of it. @throws As `call`. */
  check(ownerId: string, sources: readonly string[]): string[] {
    const guest = this.#newContext(ownerId, '');
    this.#time.begin();
    const problems = sources.map((source) => this.#parseProblem(guest.context, source));
    this.#dispose(guest);
    return problems;
  }

  /** @param context In which nothing of a guest has run: the exception is then the parser's, and has no getters. */
  #parseProblem(context: QuickJSContext, source: string): string {
    const problem = this.#parseProblemOf(context, expressionOf(source));
    const statements = problem === '' ? undefined : statementsOf(source);
    return statements === undefined ? problem : this.#parseProblemOf(context, statements) && problem;
  }

  #parseProblemOf(context: QuickJSContext, code: string): string {
    const parsed = context.evalCode(code, 'code', { compileOnly: true });
    const handle = parsed.error ?? parsed.value;
    if (parsed.error !== undefined && this.#time.isOver) throw this.#ended();
    const textAt = (name: string): string => context.getProp(handle, name).consume((text) => context.getString(text));
    const [, line = '1'] = parsed.error === undefined ? [] : (/\bcode:(\d+)/.exec(textAt('stack')) ?? []);
    const place = line === '1' ? '' : ` (line ${line})`;
    const problem = parsed.error === undefined ? '' : `${textAt('name')}: ${textAt('message')}${place}`;
    handle.dispose();
    return problem;
  }

  #newContext(ownerId: string, source: string): GuestContext {
    let owner = this.#owners.get(ownerId);
    if (owner === undefined) {
      const runtime = this.#module.newRuntime({ interruptHandler: () => this.#time.check() });
      runtime.setMaxStackSize(GUEST_STACK_BYTES);
      owner = { runtime, contexts: 0 };
      this.#owners.set(ownerId, owner);
    }
    owner.contexts++;
    this.#time.begin();
    const context = owner.runtime.newContext();
    const made = context.evalCode(GUEST_SOURCE);
    if (made.error !== undefined) throw this.#ended();
    const at = (name: string): QuickJSHandle => context.getProp(made.value, name);
    const functions = { compile: at('compile'), call: at('call'), take: at('take') };
    made.value.dispose();
    const guest = { ownerId, context, functions, problem: '' };
    this.#time.begin();
    if (source === '') return guest;
    const problem = this.#ask(guest, 'compile', expressionOf(source));
    const statements = problem.startsWith('SyntaxError') ? statementsOf(source) : undefined;
    if (statements === undefined) return { ...guest, problem };
    return { ...guest, problem: this.#ask(guest, 'compile', statements) && problem };
  }

  #ask({ context, functions }: Omit<GuestContext, 'problem'>, name: keyof GuestContext['functions'], given?: string) {
    const args = given === undefined ? [] : [context.newString(given)];
    const answer = context.callFunction(functions[name], context.undefined, args);
    for (const arg of args) arg.dispose();
    if (answer.error !== undefined || context.typeof(answer.value) !== 'string') throw this.#ended();
    const text = context.getString(answer.value);
    answer.value.dispose();
    return text;
  }

  #ended(): GuestEnded {
    return new GuestEnded(this.#time.isOver);
  }

  #disposeOldest(): void {
    const [first] = this.#contexts;
    if (first === undefined) return;
    this.#contexts.delete(first[0]);
    this.#dispose(first[1]);
  }

  #dispose({ ownerId, context, functions }: GuestContext): void {
    for (const handle of Object.values(functions)) handle.dispose();
    context.dispose();
    const owner = this.#owners.get(ownerId);
    if (owner === undefined || --owner.contexts > 0) return;
    this.#owners.delete(ownerId);
    owner.runtime.dispose();
  }
}
