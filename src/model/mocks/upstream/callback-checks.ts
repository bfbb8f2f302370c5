/** Checks of callbacks that their schema cannot express, and warnings of likely mistakes. */
import { BASE64 } from '../../../base/base64.ts';
import { CALLBACK_BODY_BYTES_MAX } from '../../../limits.ts';
import { templateProblem } from '../../../languages/templates/template-checks.ts';
import { checkLatency, type Report } from '../behaviour/behaviour-checks.ts';
import { placedConditions } from '../definition/condition-payload.ts';
import type { Callback, CallbackSignature, MockResponse, MockRoute, MockSettings } from '../definition/definition.ts';
import { conditionProblem, headerProblem } from '../definition/edit-checks.ts';
import { METADATA_ADDRESSES } from './cloud-metadata.ts';
import { literalOrigin, SIGNATURE_PARTS, SIGNED_PARTS, signsTimestamp, STANDARD_SECRET } from './callbacks.ts';

/** @param sharedDomains As in header-value.ts. */
export function checkCallbacks(
  { callbacks = [], proxy }: Pick<MockResponse, 'callbacks' | 'proxy'>,
  sharedDomains: readonly string[],
  report: Report,
): void {
  if (callbacks.length > 0 && proxy !== undefined)
    return report('/callbacks', 'cannot be combined with proxy: callbacks follow responses of the mock itself');
  for (const [index, callback] of callbacks.entries())
    checkCallback(callback, sharedDomains, (path, problem) => report(`/callbacks/${index}${path}`, problem));
  return undefined;
}

function checkCallback(callback: Callback, sharedDomains: readonly string[], report: Report): void {
  const { url, headers = [], body = '', bodyEncoding, templated = false, delay, when = [], sign } = callback;
  const reportAny = (path: string, problem: string | undefined): void => {
    if (problem !== undefined) report(path, problem);
  };
  reportAny('/url', urlProblem(url, templated !== false));
  for (const [index, { name, value }] of headers.entries()) {
    reportAny(`/headers/${index}`, headerLineProblem(name, value, sharedDomains));
    if (templated !== false) reportAny(`/headers/${index}/value`, templateProblem(value, 'text'));
  }
  if (bodyEncoding === 'base64') {
    if (!BASE64.test(body)) report('/body', 'the body is not base64');
    if (templated === 'json') report('/templated', 'a base64 body cannot be JSON');
  } else if (templated !== false) reportAny('/body', templateProblem(body, templated === 'json' ? 'json' : 'text'));
  if (Buffer.byteLength(body, bodyEncoding === 'base64' ? 'base64' : 'utf8') > CALLBACK_BODY_BYTES_MAX)
    report('/body', `must have at most ${CALLBACK_BODY_BYTES_MAX} bytes`);
  if (delay !== undefined) checkLatency(delay, (path, problem) => report(`/delay${path}`, problem));
  for (const { rule, at } of placedConditions(when)) reportAny(`/when${at}`, conditionProblem(rule));
  if (sign !== undefined) checkSignature(sign, (path, problem) => report(`/sign${path}`, problem));
}

function urlProblem(url: string, isTemplate: boolean): string | undefined {
  const problem = isTemplate ? templateProblem(url, 'text') : undefined;
  if (problem !== undefined) return problem;
  const isRendered = isTemplate && url.includes('{{');
  if (isRendered && literalOrigin({ url, templated: true }) === undefined) {
    // All of it may come from the request; what is written out must not look like a host that is not one.
    return /^\{\{|^https?:\/\//i.test(url) ? undefined : 'expected a URL such as https://hooks.example.com/paid';
  }
  const written = isRendered ? url.slice(0, url.indexOf('{{')) : url;
  const parsed = URL.canParse(written) ? new URL(written) : undefined;
  if (parsed === undefined || !/^https?:\/\/[^\s\\]+$/i.test(written))
    return 'expected a URL such as https://hooks.example.com/paid';
  if (parsed.username !== '' || parsed.password !== '') return 'must not contain a user and password: set a header';
  // Every other address may be allowed by an option.
  if ((METADATA_ADDRESSES as readonly string[]).includes(parsed.hostname.replaceAll(/^\[|\]$/g, '')))
    return `${parsed.hostname} is a cloud metadata address, which is always refused`;
  return written.includes('#') ? 'must not contain a fragment' : undefined;
}

const SERVERS_OWN: ReadonlySet<string> = new Set(['host', 'expect', 'te', 'trailer', 'via']);

function headerLineProblem(name: string, value: string, sharedDomains: readonly string[]): string | undefined {
  const problem = headerProblem(name, value, sharedDomains);
  if (problem !== undefined) return problem;
  const lower = name.toLowerCase();
  return SERVERS_OWN.has(lower) || lower.startsWith('x-switchyard-') ? `the server sets ${name}` : undefined;
}

const OF_HMAC = ['header', 'value', 'algorithm', 'encoding', 'payload'] as const;

function checkSignature(sign: CallbackSignature, report: Report): void {
  const { scheme, secret, header, value, payload } = sign;
  if (scheme !== 'hmac') {
    for (const name of OF_HMAC) if (sign[name] !== undefined) report(`/${name}`, 'is only for the scheme hmac');
  } else if (header === undefined) report('/header', 'is required by the scheme hmac');
  else {
    const problem = headerLineProblem(header, '', []);
    if (problem !== undefined) report('/header', problem);
  }
  if (value !== undefined) {
    const unknown = unknownPart(value, SIGNATURE_PARTS);
    if (unknown !== undefined) report('/value', unknown);
    else if (!value.includes('{{signature}}')) report('/value', 'has no {{signature}}');
    else if (/[^\t\u0020-\u007e]/.test(value)) report('/value', 'must consist of printable ASCII');
  }
  const unknown = payload === undefined ? undefined : unknownPart(payload, SIGNED_PARTS);
  if (unknown !== undefined) report('/payload', unknown);
  if (sign.break === 'timestamp' && !signsTimestamp(sign))
    report('/break', `the scheme ${scheme} sends no timestamp: only the signature can be wrong`);
  if (scheme === 'standard' && typeof secret === 'string') {
    const [, encoded] = STANDARD_SECRET.exec(secret) ?? [];
    if (encoded !== undefined && !BASE64.test(encoded)) report('/secret', 'the text after whsec_ is not base64');
  }
}

function unknownPart(text: string, known: readonly string[]): string | undefined {
  const found = [...text.matchAll(/\{\{(.*?)\}\}/g)].find(([, name = '']) => !known.includes(name));
  return found === undefined ? undefined : `${found[0]} is unknown; known are ${known.join(', ')}`;
}

/** Each completes a sentence that begins with the response. @param routes Those that are enabled. */
export function callbackWarnings(
  routes: readonly MockRoute[],
  { variables = {} }: Pick<MockSettings, 'variables'>,
): { routeId: string; responseId: string; warning: string }[] {
  return routes.flatMap(({ id: routeId, responses }) =>
    responses.flatMap(({ id: responseId, callbacks = [] }) =>
      callbacks
        .flatMap((callback, index) => warningsOf(callback, `the callback ${callback.name ?? index}`, variables))
        .map((warning) => ({ routeId, responseId, warning })),
    ),
  );
}

function warningsOf(callback: Callback, named: string, variables: Readonly<Record<string, unknown>>): string[] {
  const { sign } = callback;
  const variable = typeof sign?.secret === 'object' ? sign.secret.variable : undefined;
  const isMissing =
    variable !== undefined && !(Object.hasOwn(variables, variable) && typeof variables[variable] === 'string');
  return [
    ...(literalOrigin(callback) === undefined
      ? [`has ${named} whose host comes from the request: it is sent only to hosts that --callback-allow lists`]
      : []),
    ...(isMissing
      ? [`has ${named} with a secret from the variable ${variable}, which is not a string in the settings`]
      : []),
  ];
}
