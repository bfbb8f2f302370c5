/** Reads the values of options: each function reads one, and throws on what it cannot be. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { OperatorError } from '../base/operator-error.ts';
import { hostProblem } from '../app/https.ts';
import { parseReachList } from '../egress/policy/reach-list.ts';
import { PRINCIPAL_ID } from '../model/principal.ts';
import { isStoreUrl } from '../store/store-url.ts';

export function storeUrl(text: string): string {
  if (!isStoreUrl(text))
    throw new InvalidArgumentError(
      'Expected postgres://user@host:5432/database, with several hosts separated by commas.',
    );
  return text;
}

export function hostAndPort(text: string): string {
  const port = Number(/^(?:\[[0-9a-f:.]+\]|[^\s:[\]]+):(\d{1,5})$/i.exec(text)?.[1] ?? 0);
  if (port < 1 || port > 65_535) throw new InvalidArgumentError('Expected a host and a port, such as 10.0.0.1:9080.');
  return text;
}

export function integerFrom(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,12}$/.test(text) ? Number(text) : NaN;
    if (!(value >= least && value <= most))
      throw new InvalidArgumentError(`Expected an integer from ${least} to ${most}.`);
    return value;
  };
}

export const portNumber = integerFrom(0, 65_535);

export const keptCount = integerFrom(1, 10_000);

/** Node.js timers are limited to 24.8 days. */
const DURATION_MS_MAX = 20 * 86_400_000;

export function duration(text: string): number {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const ms = text === '0' ? 0 : Number(count) * { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit as 's'];
  if (text !== '0' && !(ms > 0 && ms <= DURATION_MS_MAX))
    throw new InvalidArgumentError('Expected a time of 1s to 20d, such as 30m, 6h or 1d, or 0.');
  return ms;
}

export function principalId(text: string): string {
  if (!PRINCIPAL_ID.test(text)) throw new InvalidArgumentError('Expected 1 to 64 characters of A-Z a-z 0-9 . _ @ -');
  return text;
}

export function nonEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Must not be empty.');
  return text;
}

/** @returns Where it is, without links. */
export function existingFolder(text: string): string {
  if (statSync(text, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new InvalidArgumentError('Expected a folder that exists.');
  return realpathSync(text);
}

export function domain(text: string): string {
  if (!/^(?=.{1,190}$)[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(text))
    throw new InvalidArgumentError('Expected a domain name.');
  return text.toLowerCase();
}

export function httpUrl(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw new InvalidArgumentError('Expected an address such as https://api.example.com.');
  }
  return text;
}

export function urlTemplate(text: string): string {
  if (!/^https?:\/\/.*<mock_id>/.test(text)) throw new InvalidArgumentError('Expected http(s)://... with <mock_id>.');
  return text;
}

export function origins(text: string): string[] {
  const given = list(text);
  for (const origin of given) {
    if (!isOrigin(origin)) {
      throw new InvalidArgumentError(`Expected * or origins such as https://app.example, without a path: ${origin}`);
    }
  }
  return given;
}

/** In the form in which browsers send it: any other form would never match. */
function isOrigin(text: string): boolean {
  if (/^https?:/.test(text)) return !text.includes('*') && URL.canParse(text) && new URL(text).origin === text;
  // Browser extensions have their own schemes.
  return /^(?:\*|null|[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+)$/.test(text);
}

export function hostNames(text: string): string[] {
  const names = list(text);
  for (const name of names) {
    if (/[/:@\s]/.test(name)) throw new InvalidArgumentError('Expected names without scheme, port or path.');
  }
  return names;
}

/** Names and addresses of this server, in lower case. */
export function httpsNames(text: string): string[] {
  const names = list(text).map((name) => name.toLowerCase());
  for (const name of names) {
    const problem = hostProblem(name);
    if (problem !== undefined) throw new InvalidArgumentError(`Expected names and addresses; ${problem}.`);
  }
  return names;
}

/** In lower case, as tunnels are asked for. */
export function tunnelNames(text: string): string[] {
  return hostNames(nonEmpty(text)).map((name) => name.toLowerCase());
}

/** Where upstreams may be: as it is, once it can be read. */
export function reachList(text: string): string {
  const read = parseReachList(nonEmpty(text));
  if (typeof read === 'string')
    throw new InvalidArgumentError(
      `Expected networks and hosts such as 10.0.0.0/8, 10.0.0.1:8443, api.internal:8443 and *.example.com; got ${read}.`,
    );
  return text;
}

export function list(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** JSON, or @ and the name of a file. */
export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('@') ? readFileSync(text.slice(1), 'utf8') : text);
  } catch (error) {
    throw new OperatorError(`${text} is not JSON: ${(error as Error).message}`);
  }
}
