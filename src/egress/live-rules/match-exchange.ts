/** Which kept exchanges fit a selection, and of which it is not known. */
import { hostNameOf } from '../../model/gateway/host-name.ts';
import type { ExchangeLine, ExchangeRecord, ExchangeSelection } from '../../model/gateway/exchange.ts';
import { matchWildcard, parseWildcard, type Wildcard } from '../../rules-table/wildcard.ts';
import { hostSet, type HostTable } from './host-table.ts';
import { portOf } from './exchange-policy.ts';

/** The kept body of a request; undefined where it is not kept. */
type BodyOf = (record: ExchangeRecord) => Buffer | undefined;

/** `unjudged`: it fits but for its body, which is not kept. */
type Fit = boolean | 'unjudged';

/** For one question. What needs more is not judged. */
const WORK_MAX = 20_000_000;

/** Whether an exchange fits all members of a selection. */
export class ExchangeMatch {
  readonly #selection: ExchangeSelection;
  readonly #hosts: HostTable<true> | undefined;
  readonly #url: Wildcard | undefined;
  readonly #text: string | undefined;
  readonly #budget = { work: WORK_MAX };
  readonly #headers: readonly (readonly [name: string, value: string])[];

  constructor(selection: ExchangeSelection) {
    const { host, url, q, header = {} } = selection;
    this.#selection = selection;
    // An invalid host matches nothing.
    this.#hosts = host === undefined ? undefined : hostSet([hostNameOf(host) ?? '']);
    this.#url = url === undefined ? undefined : parseWildcard(url);
    this.#text = q?.toLowerCase();
    this.#headers = Object.entries(header);
  }

  fit(record: ExchangeRecord, bodyOf: BodyOf): Fit {
    const fits = this.#fitsHead(record) && this.#fitsHeaders(record) && this.#fitsBody(record, bodyOf);
    return this.#budget.work < 0 ? 'unjudged' : fits;
  }

  #fitsHead({ url, ruleIds, outcome, method, status, time, session = '', sessionMadeAt }: ExchangeRecord): boolean {
    const selection = this.#selection;
    return (
      (selection.outcome === undefined || outcome === selection.outcome) &&
      (selection.ruleId === undefined || ruleIds.includes(selection.ruleId)) &&
      (selection.session === undefined || session === selection.session) &&
      (selection.sessionMadeAt === undefined || sessionMadeAt === selection.sessionMadeAt) &&
      (selection.method === undefined || method === selection.method) &&
      (selection.status === undefined || status === selection.status) &&
      (selection.since === undefined || time >= selection.since) &&
      (this.#hosts === undefined || isOfHost(this.#hosts, url)) &&
      (this.#url === undefined || matchWildcard(this.#url, url, this.#budget) !== undefined)
    );
  }

  #fitsHeaders({ requestHeaders }: ExchangeRecord): boolean {
    return this.#headers.every(([name, value]) =>
      requestHeaders.some((line) => line.value === value && line.name.toLowerCase() === name),
    );
  }

  #fitsBody(record: ExchangeRecord, bodyOf: BodyOf): Fit {
    const { bodyContains } = this.#selection;
    const text = this.#text;
    if (bodyContains !== undefined) {
      const body = hasBody(record.requestHeaders) ? bodyOf(record) : NO_BODY;
      if (body === undefined) return 'unjudged';
      if (!body.includes(bodyContains)) return false;
    }
    return (
      text === undefined || hasText(record, text) || (bodyOf(record)?.toString().toLowerCase().includes(text) ?? false)
    );
  }
}

const NO_BODY = Buffer.alloc(0);

/** @param url Of any form. */
export function isOfHost(hosts: HostTable<true>, url: string): boolean {
  if (!URL.canParse(url)) return false;
  const parsed = new URL(url);
  return hosts.has(parsed.hostname, portOf(parsed));
}

function hasText({ url, requestHeaders }: ExchangeRecord, text: string): boolean {
  return (
    url.toLowerCase().includes(text) ||
    requestHeaders.some(({ name, value }) => `${name}: ${value}`.toLowerCase().includes(text))
  );
}

/** Whether a request with these lines has one. */
function hasBody(lines: readonly ExchangeLine[]): boolean {
  return lines.some(({ name, value }) => /^(?:transfer-encoding$|content-length$)/i.test(name) && value !== '0');
}
