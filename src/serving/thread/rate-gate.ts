/** The gate of a mock that is stopped, needs client certificates, or has a rate limit: what a request passes before it is answered. */
import { RATE_STATUS, type MockSettings, type RateLimit } from '../../model/mocks/definition/definition.ts';
import { answerHead, errorBodyType } from '../matching/compile/answer-head.ts';
import { CORS_LINES } from '../matching/compile/cors.ts';
import { RATE_SLOTS, type MockState } from '../shared/mock-state.ts';
import { rateOf, sharedClockMs, slotOfText, take, unitsOf, type Rate } from '../shared/rate-limit.ts';
import { CertificateGate } from '../matching/request/certificate-gate.ts';
import type { Exchange } from './reply/exchange.ts';

/** Problem of a refused request in the request log. */
export const RATE_PROBLEM = 'rate limit';

export type Gate = 'stopped' | Gates;

/** At least one of them. */
interface Gates {
  readonly certificate: CertificateGate | undefined;
  readonly rate: RateGate | undefined;
}

/** @returns undefined where every request passes: then it costs nothing. */
export function gateOf(isRunning: boolean, { rateLimit, cors, clientCert }: MockSettings): Gate | undefined {
  if (!isRunning) return 'stopped';
  if (rateLimit === undefined && clientCert === undefined) return undefined;
  return {
    certificate: clientCert && new CertificateGate(clientCert),
    rate: rateLimit && new RateGate(rateLimit, cors === true),
  };
}

const HEADER = 'header:';

class RateGate {
  readonly status: number;
  readonly body: string;
  readonly #rate: Rate;
  readonly #slotOf: (exchange: Exchange) => number;
  /** Header lines that are the same for every refusal. */
  readonly #lines: string;

  constructor(limit: RateLimit, hasCors: boolean) {
    const { requests, perMs, burst = requests, by = 'mock', status = RATE_STATUS } = limit;
    this.status = status;
    this.#rate = rateOf(limit);
    this.#slotOf = slotBy(by);
    const hint = `rate limit of this mock: ${requests} per ${perMs} ms, ${burst} at once, by ${by}`;
    this.body = limit.body ?? JSON.stringify({ success: false, message: 'Too many requests', hint });
    const cors = hasCors ? CORS_LINES : '';
    const windowSeconds = Math.ceil((burst * perMs) / requests / 1_000);
    const policy = `\r\nratelimit-policy: "default";q=${burst};w=${windowSeconds}`;
    this.#lines = `\r\ncontent-type: ${errorBodyType(this.body)}; charset=utf-8${cors}${policy}`;
  }

  /** @returns Milliseconds until a request passes; 0 when this one does. */
  take(exchange: Exchange, state: MockState): number {
    const now = unitsOf(sharedClockMs(), this.#rate.unitMs);
    return take(state.words, state.rateStart + this.#slotOf(exchange), this.#rate, now);
  }

  /** The head of a refusal. The headers are those of draft-ietf-httpapi-ratelimit-headers-11. */
  head(waitMs: number): string {
    const seconds = Math.ceil(waitMs / 1_000);
    return answerHead(
      this.status,
      `${this.#lines}\r\nratelimit: "default";r=0;t=${seconds}\r\nretry-after: ${seconds}`,
    );
  }
}

function slotBy(by: string): (exchange: Exchange) => number {
  if (by === 'mock') return () => 0;
  const name = by.slice(HEADER.length).toLowerCase();
  return ({ head }) => slotOfText(valuesOf(head.headers, name), RATE_SLOTS);
}

/** @param headers Names in lower case and values, alternating. @returns "" when it is absent. */
function valuesOf(headers: readonly string[], name: string): string {
  let values = '';
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index] === name) values += `${values === '' ? '' : ','}${headers[index + 1]}`;
  }
  return values;
}
