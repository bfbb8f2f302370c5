/** Reads the answer of a stub: status, headers, body, delays and faults. */
import { printJson } from '../../../base/written-numbers.ts';
import { asBase64 } from '../../../base/base64.ts';
import { LATENCY_MS_MAX } from '../../../limits.ts';
import type { HeaderLine } from '../../../model/mocks/definition/definition.ts';
import { headerLines } from '../../exchanges/header-lines.ts';
import { countMembers, numberIn, printed, textIn, typed, type Members } from '../../reading/members.ts';
import type { Item, ReportWriter } from '../../report/report.ts';
import type { Bundle } from '../../source/bundle.ts';
import type { Member } from '../../source/member.ts';
import type { StubResponse } from '../../stubs/stub.ts';
import { isObject } from '../../../base/json-object.ts';
import { among, plain, reword, type RewordedText } from '../../templates/reword.ts';
import { noteWords, PROXY, readForward } from './proxy.ts';
import { WireMockWords } from './words.ts';
import type { Latency } from '../../../model/mocks/behaviour/latency-schema.ts';

const RESPONSE: Members = { statusMessage: ['text'], fromConfiguredStub: ['flag'], transformerParameters: ['any'] };
const PATH_PARAMETER = /\{([^{}]*)\}/g;
const FAULTS: Readonly<Record<string, string>> = {
  EMPTY_RESPONSE: 'empty',
  CONNECTION_RESET_BY_PEER: 'reset',
  MALFORMED_RESPONSE_CHUNK: 'malformedChunk',
  RANDOM_DATA_THEN_CLOSE: 'garbage',
};

interface ReadAs {
  readonly pathTemplate: string | undefined;
  /** Whether every response is a template. */
  readonly hasTemplates: boolean;
}

/** @returns undefined when it cannot be expressed: the item reports why. */
export function readResponse(
  response: Member | undefined,
  { pathTemplate, hasTemplates }: ReadAs,
  bundle: Bundle,
  item: Item,
  report: ReportWriter,
): StubResponse | undefined {
  if (response === undefined) return { status: 200 };
  countMembers(response, RESPONSE, { code: 'wiremock.metadata' }, report);
  const isTemplate = isTemplated(response, item) || hasTemplates;
  const given = response.at('/transformerParameters')?.value;
  const values = isObject(given) ? given : {};
  const words = new WireMockWords({ parameters: pathParametersIn(pathTemplate), values });
  const own = (text: string): RewordedText => (isTemplate ? reword(text, words) : plain(text));
  if (response.at('/proxyBaseUrl')?.text() !== undefined) {
    const forward = readForward(response, own, headersIn(response, item, report), item, report);
    const delay = latencyOf(response, item);
    return forward && { ...forward, ...(delay === undefined ? {} : { latency: delay }) };
  }
  countMembers(response, PROXY, { code: 'wiremock.metadata' }, report);
  const written = bodyOf(response, bundle, item);
  const lines = headersIn(response, item, report);
  const fault = textIn(response, 'fault');
  const kind = fault === undefined ? undefined : FAULTS[fault];
  if (fault !== undefined && kind === undefined) item.note('wiremock.fault', response.at('/fault'), fault);
  if (fault === 'CONNECTION_RESET_BY_PEER' || fault === 'MALFORMED_RESPONSE_CHUNK')
    item.note('wiremock.connection', response.at('/fault'), fault);
  const latency = latencyOf(response, item);
  const delivery = deliveryOf(response);
  const status = numberIn(response, 'status') ?? 200;
  if (written === undefined || (fault !== undefined && kind === undefined)) return undefined;
  const isVerbatim = written.isFile && values.disableBodyFileTemplating === true;
  const body = (isVerbatim ? plain : own)(written.encoding === undefined ? written.text : '');
  const headers = lines.map(({ name, value }) => ({ name, value: own(value) }));
  const all = [body, ...headers.map(({ value }) => value)];
  noteWords(all, item);
  const templated = written.encoding === undefined && all.some((each) => each.templated);
  if (templated) report.count('wiremock.templates');
  if (!isTemplate && TAG.test(body.text)) report.count('wiremock.untemplated');
  return {
    status,
    headers: headers.map(({ name, value }) => ({ name, value: among(all, value) })),
    body: written.encoding === undefined ? among(all, body) : written.text,
    ...(written.encoding === undefined ? {} : { bodyEncoding: written.encoding }),
    ...(latency === undefined ? {} : { latency }),
    ...(kind === undefined ? {} : { fault: { kind } }),
    ...(delivery === undefined ? {} : { delivery }),
    ...(templated ? { templated } : {}),
  };
}

/** Names in a `urlPathTemplate`. */
export function pathParametersIn(template = ''): ReadonlySet<string> {
  return new Set([...template.matchAll(PATH_PARAMETER)].map(([, name = '']) => name));
}

function isTemplated(response: Member, item: Item): boolean {
  const transformers = typed(response, 'transformers', 'array');
  const names = transformers?.items().map(({ value }) => printed(value)) ?? [];
  for (const name of names) if (name !== TEMPLATES) item.note('wiremock.transformer', transformers, name);
  return names.includes(TEMPLATES);
}

const TEMPLATES = 'response-template';
const TAG = /\{\{[^{}]*\}\}/;

interface Body {
  readonly text: string;
  readonly encoding?: 'base64';
  readonly isFile?: true;
}

/** @returns undefined without its file, and for what is not base64: the item reports it. */
export function bodyOf(response: Member, bundle: Bundle, item: Item): Body | undefined {
  const text = textIn(response, 'body');
  const base64 = textIn(response, 'base64Body');
  const json = response.get('jsonBody')?.whole();
  const file = textIn(response, 'bodyFileName');
  if (json !== undefined) return { text: printJson(json) };
  if (base64 !== undefined) {
    const bytes = asBase64(base64);
    if (bytes !== undefined) return { text: bytes, encoding: 'base64' };
    item.note('wiremock.base64', response.at('/base64Body'));
    return undefined;
  }
  if (text !== undefined || file === undefined) return { text: text ?? '' };
  const path = bundle.paths.find((each) => each.endsWith(`__files/${file.replace(/^\/+/, '')}`));
  const bytes = path === undefined ? undefined : bundle.content(path);
  if (bytes === undefined) {
    item.note('wiremock.file', response.at('/bodyFileName'), file);
    return undefined;
  }
  const decoded = bytes.toString('utf8');
  return Buffer.from(decoded).equals(bytes)
    ? { text: decoded, isFile: true }
    : { text: bytes.toString('base64'), encoding: 'base64' };
}

/** A header may have several values. */
function headersIn(response: Member, item: Item, report: ReportWriter): HeaderLine[] {
  return (typed(response, 'headers', 'object')?.members() ?? []).flatMap((header) => {
    const values = header.isArray ? header.items() : [header];
    return headerLines(header.name, values, { format: 'wiremock', item, report });
  });
}

function latencyOf(response: Member, item: Item): Latency | undefined {
  const fixed = numberIn(response, 'fixedDelayMilliseconds');
  const distribution = typed(response, 'delayDistribution', 'object');
  const drawn = distribution && distributionOf(distribution);
  if (distribution !== undefined && drawn === undefined) item.note('wiremock.delay', distribution);
  if (fixed !== undefined && fixed > LATENCY_MS_MAX)
    item.note('wiremock.delay', response.at('/fixedDelayMilliseconds'));
  if (fixed === undefined) return drawn;
  const ms = Math.min(LATENCY_MS_MAX, Math.max(0, fixed));
  if (ms === 0 || drawn === undefined) return ms === 0 ? drawn : ms;
  const both = sumOf(drawn, ms);
  if (both === undefined) item.note('wiremock.delay', distribution);
  return both ?? drawn;
}

/** One delay after the other. @returns undefined for a sum that no distribution has. */
function sumOf(drawn: Latency, ms: number): Latency | undefined {
  if (typeof drawn === 'number') return drawn + ms;
  return 'min' in drawn && !('mean' in drawn) ? { min: drawn.min + ms, max: drawn.max + ms } : undefined;
}

export function distributionOf(distribution: Member): Latency | undefined {
  const numbers = ['lower', 'upper', 'median', 'sigma', 'maxValue', 'milliseconds'].map((name) =>
    numberIn(distribution, name),
  );
  const [min, max, median, sigma, most, ms] = numbers;
  switch (textIn(distribution, 'type')) {
    case 'uniform':
      return min === undefined || max === undefined ? undefined : { min, max };
    case 'lognormal':
      if (median === undefined || sigma === undefined) return undefined;
      return { median, sigma, ...(most === undefined ? {} : { max: most }) };
    case 'fixed':
      return ms;
    default:
      return undefined;
  }
}

function deliveryOf(response: Member): StubResponse['delivery'] {
  const dribble = typed(response, 'chunkedDribbleDelay', 'object');
  const chunks = dribble && numberIn(dribble, 'numberOfChunks');
  const overMs = dribble && numberIn(dribble, 'totalDuration');
  return chunks === undefined || overMs === undefined ? undefined : { chunks, overMs };
}
