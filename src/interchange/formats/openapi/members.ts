/**
 * The members of OpenAPI documents that have no effect on what a mock answers, object by object; and what the parts of a reader share.
 *
 * An object that several references lead to is counted once.
 */
import type { Code } from '../../report/codes.ts';
import type { ImportOptions } from '../../format.ts';
import { countMembers, valuesIn, type Members } from '../../reading/members.ts';
import type { Item, ReportWriter } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import { referenceIn, type References } from '../../source/reference.ts';
import type { Schemas } from './schema.ts';

/** One import while it is read. */
export interface Reading {
  readonly report: ReportWriter;
  readonly options: ImportOptions;
  readonly references: References;
  readonly schemas: Schemas;
  /** Whether the document is Swagger 2.0. */
  readonly isSwagger: boolean;
  readonly counted: Set<unknown>;
  /** Whether a number in it is not read as it is written. */
  readonly isInexact: (member: Member) => boolean;
  /** Budget of the rest that may be read. */
  readonly budget: { responses: number };
  /** The path of the route that is read; "" outside of one. */
  readonly path: string;
}

const EXTERNAL_DOCS: Members = { description: ['text'], url: ['text'] };

export const ROOT: Members = {
  openapi: ['text', 'number'],
  swagger: ['text', 'number'],
  $self: ['text'],
  $schema: ['text'],
  id: ['text'],
  jsonSchemaDialect: ['text'],
  info: {
    title: ['text'],
    summary: ['text'],
    description: ['text'],
    termsOfService: ['text'],
    version: ['text', 'number'],
    contact: { name: ['text'], url: ['text'], email: ['text'] },
    license: { name: ['text'], url: ['text'], identifier: ['text'] },
  },
  tags: {
    name: ['text'],
    summary: ['text'],
    description: ['text'],
    parent: ['text'],
    kind: ['text'],
    externalDocs: EXTERNAL_DOCS,
  },
  externalDocs: EXTERNAL_DOCS,
  host: ['text'],
  schemes: ['array'],
  consumes: ['array'],
};
export const SERVER: Members = { description: ['text'], name: ['text'] };
export const SERVER_VARIABLE: Members = { enum: ['array'], description: ['text'] };
export const PATH_ITEM: Members = { summary: ['text'], description: ['text'] };
export const OPERATION: Members = {
  tags: ['array'],
  summary: ['text'],
  description: ['text'],
  externalDocs: EXTERNAL_DOCS,
  operationId: ['text'],
  deprecated: ['flag'],
  schemes: ['array'],
  consumes: ['array'],
};
/** Members that may stand beside a reference. */
const REFERENCE: Members = { summary: ['text'], description: ['text'] };
export const RESPONSE: Members = { summary: ['text'], description: ['text'] };
export const EXAMPLE: Members = { summary: ['text'], description: ['text'] };
export const HEADER: Members = {
  description: ['text'],
  required: ['flag'],
  deprecated: ['flag'],
  allowEmptyValue: ['flag'],
  style: ['text'],
  explode: ['flag'],
  allowReserved: ['flag'],
};
export const PARAMETER: Members = {
  ...HEADER,
  name: ['text'],
  in: ['text'],
  example: ['any'],
  examples: ['object', 'array'],
};
export const REQUEST_BODY: Members = { description: ['text'], required: ['flag'] };
export const ENCODING: Members = { encoding: ['object'], prefixEncoding: ['array'], itemEncoding: ['object'] };
export const REQUEST_CONTENT: Members = { ...ENCODING, example: ['any'], examples: ['object', 'array'] };

/** Members that tools may add to every object. */
export const EXTENSIONS = /^x-/i;

export function count(of: Member, members: Members, code: Code, { report, counted }: Reading): void {
  if (counted.has(of.value)) return;
  counted.add(of.value);
  countMembers(of, members, { code, extensions: EXTENSIONS, unknown: 'openapi.unknown' }, report);
}

/**
 * Finds the member itself, or the target of its reference.
 *
 * @param item Notes a reference that leads to nothing.
 * @returns An object; undefined when there is none.
 */
export function referred(member: Member, code: Code, item: Item, reading: Reading): Member | undefined {
  const reference = referenceIn(member.value);
  if (reference === undefined) return member.isObject ? member : undefined;
  count(member, REFERENCE, 'openapi.description', reading);
  const target = reading.references.follow(member);
  if (target?.isObject === true) return target;
  item.note(code, member, reference);
  return undefined;
}

/** Accounts for all of a part that is left out, which is one of a class. */
export function countWhole(member: Member, code: Code, reading: Reading): void {
  reading.report.count(code, 1, member);
  leaveOut(member, reading);
}

/** Accounts for all of a part that no reply depends on. */
export function leaveOut(member: Member, { report }: Reading): void {
  report.count('openapi.unused', valuesIn(member.whole()), member);
}
