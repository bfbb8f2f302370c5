/** The files of `functions`, by name. */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { MicroFunction } from './micro-function.ts';

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
