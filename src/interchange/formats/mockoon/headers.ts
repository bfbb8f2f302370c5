/** Headers as Mockoon sends them: the last of a name, but each cookie; with a Content-Type that is in UTF-8. */
import type { HeaderLine } from '../../../model/mocks/definition/definition.ts';
import { headerLines } from '../../exchanges/header-lines.ts';
import { countMembers, objectsIn, textIn } from '../../reading/members.ts';
import type { Item, ReportWriter } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';

/** @param owner An environment or a response. */
export function headersIn(owner: Member, item: Item, report: ReportWriter): HeaderLine[] {
  const lines: HeaderLine[] = [];
  for (const header of objectsIn(owner, 'headers', report)) {
    const name = textIn(header, 'key') ?? '';
    const value = textIn(header, 'value') ?? '';
    countMembers(header, { uuid: ['text'] }, { code: 'mockoon.environment' }, report);
    if (name !== '' && value !== '')
      lines.push(...headerLines(name, [value], { format: 'mockoon', item, report }, header));
  }
  return lines;
}

/** Those of the environment, then those of the response in their place. */
export function joined(environment: readonly HeaderLine[], own: readonly HeaderLine[]): HeaderLine[] {
  const lines = new Map<string, HeaderLine>();
  const cookies: HeaderLine[] = [];
  for (const line of [...environment, ...own]) {
    const name = line.name.toLowerCase();
    if (name === 'set-cookie') cookies.push(line);
    else lines.set(name, line);
  }
  return [...lines.values(), ...cookies];
}

/** Statuses whose answers have no content. */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/** @param body Where it is a file, its type is that of the file. Unless it is a template, it is sent in bytes. */
export function withContentType(
  lines: readonly HeaderLine[],
  status: number,
  { isFile = false, isTemplate = true, mediaType }: { isFile?: boolean; isTemplate?: boolean; mediaType?: string } = {},
): HeaderLine[] {
  const isType = ({ name }: HeaderLine): boolean => name.toLowerCase() === 'content-type';
  const others = lines.filter((line) => !isType(line));
  if (BODILESS.has(status)) return others;
  const given = lines.find(isType)?.value ?? mediaType ?? (isFile && !isTemplate ? undefined : 'text/html');
  if (given === undefined) return others;
  const isBinary = isFile && !isTemplate && !/^\s*(?:text\/|application\/(?:json|javascript)\b)/i.test(given);
  return [...others, { name: 'Content-Type', value: isBinary || CHARSET.test(given) ? given : inUtf8(given) }];
}

const CHARSET = /;\s*charset\s*=/i;

function inUtf8(type: string): string {
  if (type.includes('{{')) return `${type}; charset=utf-8`;
  const [media = '', ...parameters] = type.split(';').map((text) => text.trim());
  return [media.toLowerCase(), ...[...parameters.filter((text) => text !== ''), 'charset=utf-8'].toSorted()].join('; ');
}
