/** The header lines that sign one attempt of a callback; docs/callbacks.md, has each scheme. */
import { createHmac } from 'node:crypto';
import type { CallbackKey } from '../../forward/callbacks-sent.ts';
import { STANDARD_SECRET } from '../../model/mocks/upstream/callbacks.ts';

/** Input of a signature. */
interface SignedAttempt {
  /** The same for all attempts, and each time that it is sent. */
  readonly id: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body: Buffer;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** How old a broken timestamp is: receivers accept five minutes. */
const OLD_SECONDS = 600;

/** @returns Names and values, alternating. */
export function signatureLines(key: CallbackKey, attempt: SignedAttempt): string[] {
  const { scheme, secret, breaks } = key;
  const seconds = Math.floor(attempt.time / 1_000) - (breaks === 'timestamp' ? OLD_SECONDS : 0);
  const timestamp = String(seconds);
  switch (scheme) {
    case 'stripe': {
      const signed = hmac(key, secret, [`${timestamp}.`, attempt.body]);
      return ['stripe-signature', `t=${timestamp},v1=${signed.toString('hex')}`];
    }
    case 'github':
      return ['x-hub-signature-256', `sha256=${hmac(key, secret, [attempt.body]).toString('hex')}`];
    case 'standard': {
      const id = `msg_${attempt.id}`;
      const [, encoded] = STANDARD_SECRET.exec(secret) ?? [];
      const bytes = encoded === undefined ? secret : Buffer.from(encoded, 'base64');
      const signed = hmac(key, bytes, [`${id}.${timestamp}.`, attempt.body]).toString('base64');
      return ['webhook-id', id, 'webhook-timestamp', timestamp, 'webhook-signature', `v1,${signed}`];
    }
    case 'hmac': {
      const signature = hmac(key, secret, partsOf(key.payload, { ...attempt, timestamp })).toString(key.encoding);
      const named: Readonly<Record<string, string>> = { signature, timestamp };
      return [
        key.header,
        key.value.replaceAll(/\{\{(signature|timestamp)\}\}/g, (_, name: string) => named[name] ?? ''),
      ];
    }
  }
}

/** A broken signature is that of another secret: nothing but a receiver's check shows that. */
function hmac(
  { algorithm, breaks }: CallbackKey,
  secret: string | Buffer,
  parts: readonly (string | Buffer)[],
): Buffer {
  const made = createHmac(algorithm, breaks === 'signature' ? Buffer.concat([Buffer.from(secret), WRONG]) : secret);
  for (const part of parts) made.update(part);
  return made.digest();
}

const WRONG = Buffer.from('wrong');

function partsOf(payload: string, values: Readonly<Record<string, unknown>>): (string | Buffer)[] {
  // Texts and names, alternating.
  return payload
    .split(/\{\{(timestamp|id|method|path|body)\}\}/)
    .map((part, index) => (index % 2 === 0 ? part : (values[part] as string | Buffer)));
}
