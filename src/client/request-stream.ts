/** The live stream of a mock's requests: parses server-sent events into objects. */
import type { Signal } from './fetch-types.ts';
import { SwitchyardError } from './switchyard-error.ts';
import type { RequestEvent, RequestTotals } from './shapes.ts';
import type { Query, Transport } from './transport.ts';

/** @typeParam Request What `query` asks for of each. */
export async function* followRequests<Request>(
  transport: Transport,
  path: readonly string[],
  query: Query,
  signal: Signal | undefined,
): AsyncGenerator<RequestEvent<Request>, void> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    const stream = await transport.stream(path, query, signal);
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true });
      const events = text.split('\n\n');
      text = events.pop() as string;
      for (const event of events) {
        const read = readEvent<Request>(event);
        if (read !== undefined) yield read;
      }
    }
  } catch (error) {
    if (signal?.aborted === true) return;
    throw error instanceof SwitchyardError ? error : transport.noResponse(path, error);
  }
}

/** @returns undefined for a comment, which keeps the connection open, and for unknown kinds of a newer server. */
function readEvent<Request>(text: string): RequestEvent<Request> | undefined {
  const fields = new Map(text.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
  const type = fields.get('event');
  const data = fields.get('data') ?? '{}';
  if (type === 'request') return { type, id: fields.get('id') ?? '', request: JSON.parse(data) as Request };
  if (type === 'dropped') return { type, count: (JSON.parse(data) as { count: number }).count };
  if (type === 'counts') return { type, counts: JSON.parse(data) as RequestTotals };
  return type === 'reset' ? { type } : undefined;
}
