/**
 * Which mock a request is for: by its Host, by the path `/__mock/<id>/...`, or by `x-mock-id` (docs/mocks-matching.md).
 *
 * A Host that names an existing mock wins, so that a mock may answer any path and any header. When it names none, the
 * next address counts: the addresses are tried in order, and the first existing mock is used.
 *
 * A session is named in the same place as its mock; where that names the mock alone, by `x-mock-session`, by `baggage`, or by a
 * cookie: the first that is there counts.
 */

/** The mock and session that a path or host names. */
export interface MockAddress {
  readonly mockId: string;
  readonly sessionId: string | undefined;
}

/** An id is one DNS label. */
const MOCK_ID = /^[a-z][a-z0-9]{0,62}$/;

const PATH_PREFIX = '/__mock/';
export const SESSION_PREFIX = '/__session/';
const SESSION_SEPARATOR = '--';

/**
 * @param suffix "." and the mock domain, in lower case.
 * @returns The labels in front of the domain in a Host like `<id>.<domain>[:port]`: `<id>`, `<session>--<id>` or `<session>.<id>`.
 */
export function labelsOfHost(host: string, suffix: string): string | undefined {
  // Most clients send lower case: a lower-case copy is made only when the text as sent does not match.
  for (let dot = host.indexOf('.'), labels = 1; dot > 0 && labels <= 2; dot = host.indexOf('.', dot + 1), labels++) {
    const end = dot + suffix.length;
    if (host.startsWith(suffix, dot) && (end === host.length || host.charCodeAt(end) === 0x3a))
      return host.slice(0, dot).toLowerCase();
  }
  const lower = host.toLowerCase();
  return lower === host ? undefined : labelsOfHost(lower, suffix);
}

/**
 * Ways in which a certificate is wrong, as a host name asks for them: `[<session>.]tls-<fault>--<id>.<domain>`. The fault stands in
 * the label of the mock: the certificate of a mock is for every name below it. docs/guide-https.md.
 */
const TLS_FAULTS = ['expired', 'future', 'name', 'untrusted', 'self', 'fail'] as const;
export type TlsFault = (typeof TLS_FAULTS)[number];

/** Those of `--tls-fault-port` are made before TLS begins. */
type EarlyFault = 'reset' | `slow${string}`;

const OF_FAULT = new RegExp(String.raw`^tls-(${TLS_FAULTS.join('|')}|reset|slow(?:-\d{1,5})?)--`);

/** @param label That of a mock. */
export function tlsFaultOf(label: string): TlsFault | EarlyFault | undefined {
  return OF_FAULT.exec(label)?.[1] as TlsFault | EarlyFault | undefined;
}

/** @returns Whether it is one of the certificate, not of the port of faults. */
export function isTlsFault(fault: string | undefined): fault is TlsFault {
  return (TLS_FAULTS as readonly (string | undefined)[]).includes(fault);
}

export function namesOfLabels(labels: string): MockAddress {
  const dot = labels.indexOf('.');
  const label = labels.slice(dot + 1);
  const names = label.startsWith('tls-') ? label.replace(OF_FAULT, '') : label;
  if (dot !== -1) return { mockId: names, sessionId: labels.slice(0, dot) };
  const cut = names.indexOf(SESSION_SEPARATOR);
  if (cut === -1) return { mockId: names, sessionId: undefined };
  return { mockId: names.slice(cut + SESSION_SEPARATOR.length), sessionId: names.slice(0, cut) };
}

/** @returns What `/__mock/<id>/` or `/__mock/<id>/__session/<session>/` names, and the rest of the path: that within the mock. */
export function namesOfPath(path: string): (MockAddress & { readonly path: string }) | undefined {
  const ofMock = afterPrefix(path, PATH_PREFIX);
  if (ofMock === undefined) return undefined;
  const ofSession = afterPrefix(ofMock.rest, SESSION_PREFIX);
  return { mockId: ofMock.id, sessionId: ofSession?.id, path: ofSession?.rest ?? ofMock.rest };
}

/** @returns What begins the paths of a mock. */
export function pathOfMock(mockId: string): string {
  return PATH_PREFIX + mockId;
}

/** @returns The path of a request that a header sends to a mock: a path that names a mock is one within this mock, too. */
export function pathWithin(mockId: string, path: string): string {
  return path.startsWith(PATH_PREFIX) ? `${PATH_PREFIX}${mockId}${path}` : path;
}

function afterPrefix(path: string, prefix: string): { readonly id: string; readonly rest: string } | undefined {
  if (!path.startsWith(prefix)) return undefined;
  const slash = path.indexOf('/', prefix.length);
  const end = slash === -1 ? path.length : slash;
  return { id: path.slice(prefix.length, end), rest: slash === -1 ? '/' : path.slice(slash) };
}

/** Whether a mock can have this id: other ids need not be loaded. */
export function isMockId(text: string): boolean {
  return MOCK_ID.test(text);
}
