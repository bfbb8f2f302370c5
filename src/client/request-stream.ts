/** The live stream of a mock's requests, from server-sent events to objects. */
import { SwitchyardError } from './switchyard-error.ts';
import type { RequestEvent, RequestRecord } from './shapes.ts';
import type { Transport } from './transport.ts';

export async function* followRequests(
  transport: Transport,
  path: readonly string[],
  signal: AbortSignal | undefined,
): AsyncGenerator<RequestEvent, void> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    const stream = await transport.stream(path, signal);
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true });
      const events = text.split('\n\n');
      text = events.pop() as string;
      for (const event of events) {
        const read = readEvent(event);
        if (read !== undefined) yield read;
      }
    }
  } catch (error) {
    if (signal?.aborted === true) return;
    throw error instanceof SwitchyardError ? error : transport.noAnswer(path, error);
  }
}

/** @returns undefined for a comment, which keeps the connection open, and for kinds that a later server may add. */
function readEvent(text: string): RequestEvent | undefined {
  const fields = new Map(text.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
  const type = fields.get('event');
  const data = fields.get('data') ?? '{}';
  if (type === 'request') return { type, request: JSON.parse(data) as RequestRecord };
  if (type === 'dropped') return { type, count: (JSON.parse(data) as { count: number }).count };
  return type === 'reset' ? { type } : undefined;
}
