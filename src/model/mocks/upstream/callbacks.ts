/** Requests that a mock sends after its response: defaults, and their targets. */
import type { Callback, CallbackSignature, MockDefinition } from '../definition/definition.ts';

/** Defaults of `hmac`. */
export const HMAC_DEFAULTS = {
  value: '{{signature}}',
  algorithm: 'sha256',
  encoding: 'hex',
  payload: '{{body}}',
} as const;

/** The secret of Standard Webhooks begins so, as its libraries have it; base64 follows. */
export const STANDARD_SECRET = /^whsec_(.+)$/;

/** Placeholders for parts of a callback in `payload` and `value`. */
export const SIGNED_PARTS = ['timestamp', 'id', 'method', 'path', 'body'] as const;
export const SIGNATURE_PARTS = ['signature', 'timestamp'] as const;

/** Its texts that are rendered; none where it is not a template. */
export function templatesOf({ url, headers = [], body = '', bodyEncoding, templated = false }: Callback): string[] {
  if (templated === false) return [];
  return [url, ...headers.map(({ value }) => value), ...(bodyEncoding === 'base64' ? [] : [body])];
}

/** @returns Scheme, host and port as the definition has them; undefined where requests decide on them. */
export function literalOrigin({ url, templated = false }: Pick<Callback, 'url' | 'templated'>): string | undefined {
  const end = templated === false ? -1 : url.indexOf('{{');
  const written = end === -1 ? url : url.slice(0, end);
  // What a tag renders to must not become a part of the host.
  if (end !== -1 && !/^https?:\/\/[^/?#\\\s@]+[/?#]/i.test(written)) return undefined;
  return URL.canParse(written) ? new URL(written).origin : undefined;
}

/** Whether a timestamp is part of what is sent. */
export function signsTimestamp({ scheme, payload = '', value = '' }: CallbackSignature): boolean {
  if (scheme === 'hmac') return `${payload}${value}`.includes('{{timestamp}}');
  return scheme !== 'github';
}

/** Whether any answer may be followed by callbacks. */
export function mayCallBack({ routes }: Pick<MockDefinition, 'routes'>): boolean {
  return routes.some(({ responses }) => responses.some(({ callbacks = [] }) => callbacks.length > 0));
}
