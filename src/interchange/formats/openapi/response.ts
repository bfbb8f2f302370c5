/**
 * The responses of an operation: each status, media type and example is one of the mock. Where there is no example, its body is a sample of
 * the schema.
 */
import { IMPORT_RESPONSES_MAX } from '../../../limits.ts';
import type { ReadResponse } from '../../format.ts';
import { typed } from '../../reading/members.ts';
import type { Code } from '../../report/codes.ts';
import type { Item } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import { contentsOf, type Content } from './content.ts';
import { readHeaders } from './header.ts';
import { count, countWhole, EXTENSIONS, leaveOut, referred, RESPONSE, type Reading } from './members.ts';

/** Labels of a route that are taken, each with the number that makes another of it. */
export type Labels = Map<string, number>;

interface OfOperation {
  /** Media types of Swagger 2.0. */
  readonly produces: readonly string[];
  /** The media type of responses that have no name; "" for none. */
  readonly label: string;
  readonly labels: Labels;
}

export function readResponses(operation: Member, route: Item, given: OfOperation, reading: Reading): ReadResponse[] {
  const element = typed(operation, 'responses', 'object');
  const list = element && referred(element, 'openapi.part', route, reading);
  const members = (list?.names() ?? [])
    .filter((name) => !EXTENSIONS.test(name))
    .map((name) => list?.get(name) as Member);
  if (list !== undefined) count(list, {}, 'openapi.description', reading);
  const responses = statusesOf(members.map(({ name }) => name)).flatMap((status, index) =>
    readResponse(members[index] as Member, status, given, reading),
  );
  if (responses.length === 0) {
    route.note('openapi.no-response');
    return [{ item: route, status: 200 }];
  }
  const main = mainIndex(responses.map(({ status = 200 }) => status));
  return [responses[main] as ReadResponse, ...responses.filter((_, index) => index !== main)];
}

function readResponse(
  member: Member,
  found: Status | undefined,
  { produces, label, labels }: OfOperation,
  reading: Reading,
): ReadResponse[] {
  const { report } = reading;
  const first = report.item('response', member);
  const { budget } = reading;
  if (found === undefined || budget.responses <= 0) {
    if (found === undefined) first.note('openapi.status', member, member.name);
    else first.note('import.limit', member, `${IMPORT_RESPONSES_MAX} responses per import`);
    leaveOut(member, reading);
    return [];
  }
  const response = referred(member, 'openapi.reference', first, reading);
  if (response === undefined) {
    if (!member.isObject) first.note('openapi.reference', member);
    return [];
  }
  count(response, RESPONSE, 'openapi.description', reading);
  for (const link of typed(response, 'links', 'object')?.members() ?? []) countWhole(link, 'openapi.link', reading);
  const { status, code } = found;
  const contents = contentsOf(response, status, produces, first, reading).map((content) =>
    content.name === '' ? { ...content, name: label } : content,
  );
  budget.responses -= contents.length;
  const headers = readHeaders(response, first, reading);
  const types = typesByName(contents);
  return contents.map((content, at): ReadResponse => {
    const { name, type, body, stream, isTemplate, source, notes } = content;
    const item = at === 0 ? first : report.item('response', member);
    if (code !== undefined) item.note(code);
    for (const note of [...notes, ...headers.notes]) item.note(note.code, note.source, note.detail);
    // One in the place of the response is reported with all others of the file.
    if (source !== undefined && reading.isInexact(source) && report.itemOf(source) !== item) {
      item.note('import.number', source);
    }
    const lines = type === '' ? headers.lines : [{ name: 'Content-Type', value: type }, ...headers.lines];
    const hasOthers = (types.get(name)?.size ?? 0) > 1;
    const isNamed = name !== '' || hasOthers;
    const own = isNamed ? labelOf(content, status, hasOthers, labels) : '';
    const sent = stream === undefined ? { body } : { stream };
    return { item, label: own, status, headers: lines, ...sent, ...(isTemplate ? { templated: 'json' } : {}) };
  });
}

function typesByName(contents: readonly Content[]): Map<string, Set<string>> {
  const types = new Map<string, Set<string>>();
  for (const { name, type } of contents) types.set(name, (types.get(name) ?? new Set()).add(type));
  return types;
}

const FIRST_NUMBER = 2;

/** Unique within a route, since requests pick a response by it. */
function labelOf({ name, type }: Content, status: number, hasOthers: boolean, taken: Labels): string {
  const plain = cut(name === '' ? type : name);
  const byType = name !== '' && hasOthers ? [`${plain} (${type})`] : [];
  const candidates = [plain, ...byType, `${plain} (${status})`, `${plain} (${status}, ${type})`];
  let label = candidates.find((each) => !taken.has(each));
  for (let number = taken.get(plain) ?? FIRST_NUMBER; label === undefined; number++) {
    if (!taken.has(`${plain} ${number}`)) label = `${plain} ${number}`;
    taken.set(plain, number + 1);
  }
  if (!taken.has(label)) taken.set(label, FIRST_NUMBER);
  return label;
}

/** Room is left for what makes it unique. */
const LABEL_CHARS_MAX = 500;

function cut(text: string): string {
  const plain = text.trim();
  return plain.length > LABEL_CHARS_MAX ? `${plain.slice(0, LABEL_CHARS_MAX - 1)}…` : plain;
}

interface Status {
  readonly status: number;
  readonly code?: Code;
}

const CODE = /^[2-5]\d\d$/;
const RANGE = /^([2-5])XX$/i;
const SUCCESS_MAX = 399;

/** @returns For each name of a response its status; undefined where no mock can have it. */
function statusesOf(names: readonly string[]): readonly (Status | undefined)[] {
  const statuses = names.map((name): Status | undefined => {
    if (CODE.test(name)) return { status: Number(name) };
    const [, hundreds] = RANGE.exec(name) ?? [];
    return hundreds === undefined ? undefined : { status: Number(`${hundreds}00`), code: 'openapi.status-range' };
  });
  // What is said of all other statuses is said of success where no success is declared.
  const hasSuccess = statuses.some((each) => each !== undefined && each.status <= SUCCESS_MAX);
  const other: Status = { status: hasSuccess ? 500 : 200, code: 'openapi.default-status' };
  return statuses.map((each, index) => (names[index] === 'default' ? other : each));
}

/** @returns The index of the first with the lowest successful status; else of the first. */
function mainIndex(statuses: readonly number[]): number {
  let main = 0;
  for (const [index, status] of statuses.entries()) if (rank(status) < rank(statuses[main] as number)) main = index;
  return main;
}

function rank(status: number): number {
  return status <= SUCCESS_MAX ? status : SUCCESS_MAX + 1;
}
