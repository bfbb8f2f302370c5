/**
 * Reads members of a source by name and type. A member of another type stays unread, so that the report names it: nothing is ignored
 * because it has the wrong type.
 */
import { isObject } from '../../base/json-object.ts';
import { CODES, type Code } from '../report/codes.ts';
import type { ReportWriter } from '../report/report.ts';
import type { Member } from '../source/member.ts';

export type Kind = 'text' | 'number' | 'flag' | 'object' | 'array' | 'any';

/** The members that an object may have, each with the types that it may have, or with its own members. */
export interface Members {
  readonly [name: string]: readonly Kind[] | Members;
}

/** Accounts for the member if it has one of the types. @returns undefined when it is absent, or of another type. */
export function typed(of: Member, name: string, ...kinds: readonly Kind[]): Member | undefined {
  if (!of.has(name)) return undefined;
  const value = (of.value as Record<string, unknown>)[name];
  return kinds.some((kind) => isOf(kind, value)) ? of.get(name) : undefined;
}

export function textIn(of: Member, name: string): string | undefined {
  return typed(of, name, 'text')?.text();
}

export function numberIn(of: Member, name: string): number | undefined {
  return typed(of, name, 'number')?.number();
}

/** Finds the rest of a condition that no reader has asked for: without it, more would match. A null says nothing. */
export function unreadIn(of: Member): Member[] {
  return [...of.unread()].filter((member) => {
    member.whole();
    of.account(member);
    return member.value !== null;
  });
}

/** The members that are there, as they are: the model checks them. */
export function given(of: Member, names: readonly string[]): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const name of names) {
    const member = of.get(name);
    if (member !== undefined) found[name] = member.whole();
  }
  return found;
}

/** For a file that leaves defaults out: the members that differ from their default. */
export function without(members: object, defaults: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(members).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults[name])),
  );
}

/** The elements of an array that are objects; others are reported. */
export function objectsIn(of: Member, name: string, report: ReportWriter, unknown: Code = 'import.unknown'): Member[] {
  const array = typed(of, name, 'array');
  return array === undefined ? [] : objectsOf(array, report, unknown);
}

/** A text, or a number or a flag as one. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** Any value as a text. JSON for what cannot be converted: a member `toString` hides the method. */
export function printed(value: unknown): string {
  try {
    return String(value);
  } catch {
    return JSON.stringify(value);
  }
}

/** Any value as a number; NaN for other values. */
export function toNumber(value: unknown): number {
  return Number(scalarText(value) ?? (value === null ? 0 : Number.NaN));
}

export function isOf(kind: Kind, value: unknown): boolean {
  switch (kind) {
    case 'any':
      return true;
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'flag':
      return typeof value === 'boolean';
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
  }
}

/** The class of members that have no effect. */
interface CountOptions {
  readonly code: Code;
  /** Names that tools may give to members of their own, in every object. */
  readonly extensions?: RegExp;
  /** Notes what is not an object where one belongs; "import.unknown" unless given. */
  readonly unknown?: Code;
}

/** Accounts for members with all below them. Of a class without effect each value counts; of any other each item of the source. */
export function countMembers(of: Member, members: Members, counted: CountOptions, report: ReportWriter): void {
  const { code, extensions } = counted;
  for (const [name, allowed] of Object.entries(members)) countMember(of, name, allowed, counted, report);
  if (extensions === undefined) return;
  for (const name of of.names()) if (extensions.test(name)) countMember(of, name, ANYTHING, { code }, report);
}

const ANYTHING: readonly Kind[] = ['any'];

/** A null says nothing, whatever type the member has. */
function countMember(
  of: Member,
  name: string,
  allowed: readonly Kind[] | Members,
  counted: CountOptions,
  report: ReportWriter,
): void {
  if (!of.has(name)) return;
  const isNull = (of.value as Record<string, unknown>)[name] === null;
  if (isNull || isKinds(allowed)) {
    const member = isNull ? of.get(name) : typed(of, name, ...(allowed as readonly Kind[]));
    if (member !== undefined) report.count(counted.code, countOf(counted.code, member.whole()), member);
    return;
  }
  const { unknown = 'import.unknown' } = counted;
  const inner = typed(of, name, 'object', 'array');
  if (inner === undefined) return;
  report.count(counted.code, 1, inner);
  for (const each of inner.isArray ? objectsOf(inner, report, unknown) : [inner])
    countMembers(each, allowed, counted, report);
}

function objectsOf(array: Member, report: ReportWriter, unknown: Code): Member[] {
  return array.items().filter((element) => {
    if (!element.isObject) report.itemOf(element).noteUnknown(unknown, element);
    return element.isObject;
  });
}

function isKinds(allowed: readonly Kind[] | Members): allowed is readonly Kind[] {
  return Array.isArray(allowed);
}

/** An array has several items. A null says nothing. */
function countOf(code: Code, value: unknown): number {
  if (CODES[code].level === 'exact') return valuesIn(value);
  if (value === null) return 0;
  return Array.isArray(value) ? value.length : 1;
}

/** How many values there are, with all below. */
export function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const child of Object.values(value)) count += valuesIn(child);
  return count;
}
