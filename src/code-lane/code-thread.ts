/** The code that runs in the thread of the code lane: keeps one generation, and replaces it. The thread may be terminated at any point. */
import { CODE_BODY_BYTES_MAX, CODE_LINE_CHARS_MAX, CODE_LINES_MAX, CODE_STATE_CHARS_MAX } from '../limits.ts';
import type { CodeCall, CodeResult } from '../rules-table/code-call.ts';
import { Generation, GuestEnded } from './generation.ts';
import { STATE_NAME, type GuestInput } from './guest.ts';

export interface CodeTask {
  readonly ownerId: string;
  readonly call: CodeCall;
  /** JSON of what the owner's code shares. */
  readonly state: string;
}

export interface CodeTaskResult extends CodeResult {
  /** State that the owner's code shares from now on; absent where it is as before. */
  readonly state?: string | undefined;
  /** Whether a generation has ended by it. */
  readonly hasEnded: boolean;
}

let current = Generation.start();

/** Resolves when the first call can run. WebAssembly is compiled function by function, when each is first called. */
export async function start(): Promise<void> {
  const generation = await current;
  generation.call('', 'async (a) => a', JSON.stringify({ args: {}, aliases: {}, parsed: {} } satisfies GuestInput));
}

export async function runCode({ ownerId, call, state }: CodeTask): Promise<CodeTaskResult> {
  const { source, args, aliases, parsed } = call;
  // JSON, since texts of this library end at a NUL.
  const given: GuestInput = { args, aliases, parsed, ...(source.includes(STATE_NAME) ? { state } : {}) };
  const input = JSON.stringify(given);
  const generation = await current;
  try {
    const answer = generation.call(ownerId, source.replaceAll('\0', '\\0'), input);
    const hasEnded = generation.isUsedUp;
    if (hasEnded) replace();
    return { ...('problem' in answer ? failed(answer.problem) : resultOf(answer.output)), hasEnded };
  } catch (error) {
    replace();
    return { ...failed(messageOf(error), error instanceof GuestEnded && error.isTooLong), hasEnded: true };
  }
}

/** @returns Why each source cannot be parsed; '' for none. */
export async function checkCode({
  ownerId,
  sources,
}: {
  ownerId: string;
  sources: readonly string[];
}): Promise<string[]> {
  const generation = await current;
  try {
    return generation.check(
      ownerId,
      sources.map((source) => source.replaceAll('\0', '\\0')),
    );
  } catch (error) {
    replace();
    // It is not known which of them takes so long.
    return sources.map(() => (error instanceof GuestEnded && error.isTooLong ? '' : messageOf(error)));
  }
}

/** At once, so that the next call does not wait for it. */
function replace(): void {
  current = Generation.start();
}

/** Errors of the library carry its whole module. */
function messageOf(error: unknown): string {
  return error instanceof GuestEnded ? error.message : new GuestEnded(false).message;
}

function failed(message: string, isTooLong = false): CodeResult {
  return { failure: { reason: isTooLong ? 'codeTooLong' : 'codeFailed', message: textOf(message) }, console: [] };
}

/** @param output Of the guest, which may have changed how it is made. */
function resultOf(output: string): CodeResult & { readonly state?: string } {
  let given: unknown;
  try {
    given = JSON.parse(output);
  } catch {
    return failed('its result cannot be read');
  }
  const { body, failure, state, console } = (given ?? {}) as Record<string, unknown>;
  const lines = toConsoleLines(console);
  if (failure !== undefined) return { ...failed(textOf(failure)), console: lines };
  if (typeof body === 'string' && Buffer.byteLength(body) > CODE_BODY_BYTES_MAX) {
    return { ...failed(`TypeError: the result is larger than ${CODE_BODY_BYTES_MAX} bytes`), console: lines };
  }
  return {
    ...(typeof body === 'string' ? { body } : {}),
    ...(typeof state === 'string' && state.length <= CODE_STATE_CHARS_MAX ? { state } : {}),
    console: lines,
  };
}

function toConsoleLines(given: unknown): CodeResult['console'] {
  if (!Array.isArray(given)) return [];
  return given.slice(0, CODE_LINES_MAX).map((line: unknown) => {
    const { level, text } = (line ?? {}) as Record<string, unknown>;
    return { level: textOf(level).slice(0, 10), text: textOf(text) };
  });
}

function textOf(given: unknown): string {
  return typeof given === 'string' ? given.slice(0, CODE_LINE_CHARS_MAX) : '';
}
