/** `POST /mcp`: the Model Context Protocol, for agents; docs/agents.md. What it answers is made in `mcp`, which the first request loads. */
import type { JsonObject } from '../../base/json-object.ts';
import { isRefusal } from '../../errors.ts';
import type { Principal } from '../../model/principal.ts';
import { Type } from '../../model/schema-type.ts';
import type { Call } from '../call.ts';
import { endpoint, type Endpoint } from '../endpoint.ts';
import type { InnerAnswer, InnerAsk } from '../inner-exchange.ts';

/** Bound of one message. A file that is larger is imported by the command line. */
const BODY_BYTES_MAX = 4_194_304;

interface McpQuestion {
  readonly message: JsonObject;
  /** Headers of the protocol, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly caller: Principal;
  /** Asks the API in the name of the caller. */
  readonly ask: (asked: InnerAsk) => Promise<InnerAnswer>;
  /** Called with the tool that is called, for log and metrics. */
  readonly onTool: (name: string) => void;
}

type AnswerMcp = (
  question: McpQuestion,
) => Promise<{ readonly status: number; readonly contentType: string; readonly body: string }>;

export function mcpApi(answer: AnswerMcp, ask: (call: Call, asked: InnerAsk) => Promise<InnerAnswer>): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/mcp',
      access: 'read',
      takesBearer: true,
      body: { schema: Type.Unknown(), bytesMax: BODY_BYTES_MAX, invalid: 'badRequest' },
      handle(call, message) {
        if (isRefusal(message)) return call.refuse(message);
        const question = {
          message,
          headers: call.head.mcp ?? {},
          caller: call.caller,
          ask: (asked: InnerAsk) => ask(call, asked),
          onTool: (name: string) => {
            call.route = { method: 'POST', path: `/mcp ${name}` };
          },
        };
        return call.beginPromises(() => {
          // What the tools ask for waits for the same share.
          call.releaseBody();
          if (!call.open) return;
          void call.later(answer(question), ({ status, contentType, body }) => call.send(status, contentType, body));
        });
      },
    }),
  ];
}
