/**
 * Requests for a response in the headers, for a mock with `forced`: a response by its label or its status, and a media type.
 *
 * Reads headers only; forced-choice.ts and explain-forced.ts find the response, each in its own way.
 */
import {
  parseMediaType,
  parseParameter,
  splitOutsideQuotes,
  type MediaType,
} from '../../../model/mocks/definition/media-type.ts';
import { decodePercent } from '../../../languages/form.ts';

/**
 * Ranges of a request's Accept that are compared with the types of a route's responses, of which there are a hundred:
 * a head has space for four thousand. Browsers send ten.
 */
export const ACCEPT_RANGES_MAX = 100;

/** A response that a request names. At least one of label and status is there. */
export interface NamedResponse {
  /** Its label without spaces around it. When no response has it, the second one counts: percent-decoded. */
  readonly labels: readonly string[];
  /** Not parsed. */
  readonly status: string | undefined;
}

/** @param headers Names in lower case and values, alternating. */
export function namedResponse(headers: readonly string[]): NamedResponse | undefined {
  let label = '';
  let status = '';
  let prefer: string | undefined;
  for (let at = 0; at < headers.length; at += 2) {
    const value = headers[at + 1] as string;
    switch (headers[at]) {
      case 'x-mock-response-name':
        label ||= value.trim();
        break;
      case 'x-mock-response-code':
        status ||= value.trim();
        break;
      case 'prefer':
        prefer = prefer === undefined ? value : `${prefer},${value}`;
        break;
    }
  }
  // Made for mocks, so they count more than a header that the client may send for the sake of the real server.
  if (label === '' && status === '' && prefer !== undefined) [label, status] = preferred(prefer);
  if (label === '' && status === '') return undefined;
  return { labels: label === '' ? [] : spellings(label), status: status === '' ? undefined : status };
}

/** RFC 7240: of a preference that is repeated, the first counts; its parameters, after ";", mean nothing here. */
function preferred(list: string): [label: string, status: string] {
  let label: string | undefined;
  let status: string | undefined;
  for (const preference of splitOutsideQuotes(list, ',')) {
    const [name, value] = parseParameter(splitOutsideQuotes(preference, ';')[0] as string);
    if (name === 'example') label ??= value.trim();
    else if (name === 'code') status ??= value.trim();
  }
  return [label ?? '', status ?? ''];
}

/** Clients cannot send every character in a header. */
function spellings(label: string): string[] {
  return label.includes('%') ? [label, decodePercent(label).trim()] : [label];
}

/** A range of media types that a client accepts. */
interface AcceptedRange extends MediaType {
  /** 0 to 1. */
  readonly quality: number;
}

/** @returns undefined when the request has no Accept. */
export function acceptedRanges(headers: readonly string[]): readonly AcceptedRange[] | undefined {
  let list: string | undefined;
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at] === 'accept') list = list === undefined ? headers[at + 1] : `${list},${headers[at + 1]}`;
  }
  if (list === undefined) return undefined;
  return splitOutsideQuotes(list, ',').slice(0, ACCEPT_RANGES_MAX).flatMap(parseRange);
}

function parseRange(text: string): AcceptedRange[] {
  const [type = '', ...parameters] = splitOutsideQuotes(text, ';');
  const weightAt = parameters.findIndex((parameter) => parseParameter(parameter)[0] === 'q');
  const own = weightAt === -1 ? parameters : parameters.slice(0, weightAt);
  // Old clients of Java write "*".
  const range = parseMediaType([type.trim() === '*' ? ANY : type, ...own]);
  if (range === undefined) return [];
  const weight = weightAt === -1 ? 1 : Number.parseFloat(parseParameter(parameters[weightAt] as string)[1]);
  return [{ ...range, quality: Number.isNaN(weight) ? 1 : Math.min(1, Math.max(0, weight)) }];
}

const ANY = '*/*';

/**
 * How much a client wants a type: the quality of the most specific range that has it; 0 when none has it.
 *
 * @param type Of a response; one without a type is only in the range of all types.
 */
export function qualityOf(type: MediaType | undefined, ranges: readonly AcceptedRange[]): number {
  let quality = 0;
  let specificity = -1;
  for (const range of ranges) {
    const own = specificityOf(range, type);
    if (own <= specificity) continue;
    specificity = own;
    ({ quality } = range);
  }
  return quality;
}

/** @returns -1 when the range does not have the type. */
function specificityOf({ essence, parameters }: MediaType, type: MediaType | undefined): number {
  if (type === undefined) return essence === ANY && parameters.length === 0 ? 0 : -1;
  if (!parameters.every((each) => type.parameters.includes(each))) return -1;
  if (essence === type.essence) return 2 + parameters.length;
  if (essence === ANY) return 0;
  return essence.endsWith('/*') && type.essence.startsWith(essence.slice(0, -1)) ? 1 : -1;
}
