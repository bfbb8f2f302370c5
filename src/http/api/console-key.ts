/**
 * Signs the console in before it has a key: exchanges a one-time code, which `switchyard console`
 * prints, for a key that expires. docs/operations.md, "Keys".
 */
import { isRefusal, refuse, type Refusal } from '../../errors.ts';
import type { Principal } from '../../model/principal.ts';
import { Type } from '../../model/schema-type.ts';
import { networkOf } from '../../wire/client-network.ts';
import type { Endpoint } from '../endpoint.ts';
import { operations } from './operation.ts';

const operation = operations('Operations');

const BODY_BYTES_MAX = 1_000;

/** A key, and whose it is. */
interface ConsoleKey {
  readonly text: string;
  readonly principal: Principal & { readonly expiresAt: number };
}

export interface ConsoleKeyOptions {
  /** Takes one of the exchanges that this client may try in a second. @returns false when there is none. */
  readonly admits: (network: string) => boolean;
  /** @returns undefined for a code that is unknown, used or expired. */
  readonly exchange: (code: string) => Promise<ConsoleKey | Refusal | undefined>;
}

export function consoleKeyApi({ admits, exchange }: ConsoleKeyOptions): Endpoint[] {
  return [
    operation('exchangeConsoleCode', 'POST /v1/console/key', {
      access: 'public',
      summary: 'Exchange a one-time code of `switchyard console` for a key that is valid for 24 hours',
      answer: Type.Object({
        data: Type.Object({
          key: Type.String({ description: 'The key, for the header `x-api-key`. Shown only once.' }),
          expiresAt: Type.String({ description: 'When the key expires, as an ISO 8601 date.' }),
        }),
      }),
      refuses: [
        'badRequest',
        'unauthorized',
        'tooManyRequests',
        'payloadTooLarge',
        'unsupportedMediaType',
        'storageFull',
        'overloaded',
        'serverError',
      ],
      body: {
        schema: Type.Object({
          code: Type.String({
            description:
              'The text after `#code=` in the URL. Valid once, for 60 seconds; for ten minutes when the start of the server printed it.',
          }),
        }),
        examples: { 'A code': { code: 'k2nT4yQm0aWb7cXe9fZg1A' } },
        bytesMax: BODY_BYTES_MAX,
        invalid: 'badRequest',
      },
      handle(call, body) {
        if (!admits(networkOf(call.res))) return call.refuse('tooManyRequests');
        if (isRefusal(body)) return call.refuse(body);
        // Whatever is wrong with a code, the refusal is the same.
        const code = typeof body.code === 'string' ? body.code : '';
        return void call.later(exchange(code), (made) => {
          if (isRefusal(made)) return call.refuse(made);
          if (made === undefined) return call.refuse(refuse('unauthorized', [UNUSABLE]));
          // The log then names the key, which history and `keys list` name too.
          call.principal = made.principal;
          const data = { key: made.text, expiresAt: new Date(made.principal.expiresAt).toISOString() };
          return call.succeed(`"data":${JSON.stringify(data)}`, NOT_STORED);
        });
      },
    }),
  ];
}

const UNUSABLE = { path: '/code', message: 'is unknown, used or expired: run `switchyard console` for a new one' };
const NOT_STORED = '\r\ncache-control: no-store';
