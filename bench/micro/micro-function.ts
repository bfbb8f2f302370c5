/** The form of a file in `functions`, and how it is loaded: one hot function, at three sizes of whatever its cost may depend on. */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { MockAnswer } from '../../src/serving/matching/request/mock-request.ts';

export interface MicroFunction {
  /** What sizes count: "routes". */
  readonly UNIT: string;
  /** Ascending. Cost is reported relative to the first. */
  readonly SIZES: readonly [number, number, number];
  /** Whatever the calls need, made once. */
  readonly prepare: (size: number) => readonly MicroCase[];
}

/** One way to call the function. */
export interface MicroCase {
  readonly name: string;
  /** Calls it once. */
  readonly run: () => unknown;
  /** Throws when a result is wrong: a function that does nothing is fast. */
  readonly check: (result: unknown) => void;
}

const DIRECTORY = join(import.meta.dirname, 'functions');

export function functionNames(): string[] {
  return readdirSync(DIRECTORY)
    .map((file) => basename(file, '.ts'))
    .toSorted();
}

export async function loadFunction(name: string): Promise<MicroFunction> {
  const names = functionNames();
  if (!names.includes(name)) throw new Error(`there is no ${name}; there are ${names.join(', ')}`);
  return (await import(functionFile(name))) as MicroFunction;
}

export function functionFile(name: string): string {
  return join(DIRECTORY, `${name}.ts`);
}

/** The body of an answer of a mock, which is a text or bytes. */
export function bodyText({ body }: MockAnswer): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString();
}
