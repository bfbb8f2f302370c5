/** The declaration of a tool, and what tools share: the API in the name of the caller, and members of inputs. */
import type { Static, TObject, TSchema, TUnsafe } from 'typebox';
import { clientOver, type Client } from '../../client/client.ts';
import type { DeepReadonly } from '../../client/shapes.ts';
import { TrafficClient } from '../../client/traffic-client.ts';
import { Transport, type Target } from '../../client/transport.ts';
import { mayUse, type Principal, type Role } from '../../model/principal.ts';
import { Type } from '../../model/schema-type.ts';
import type { ToolAnswer } from '../answer.ts';

/** `serve` changes what is served, or acts on clients: it takes two calls (confirm.ts). */
type ToolAccess = 'read' | 'write' | 'serve';

/** `all`, or all but the tools that change what is served, or none. */
export type McpMode = 'all' | 'staged' | 'off';

/** The client: in the process of the server, or over HTTP from the command line. */
export interface Api extends Client {
  readonly caller: Omit<Principal, 'expiresAt'>;
  readonly transport: Transport;
}

export function apiOf(caller: Api['caller'], target: Target): Api {
  const transport = new Transport(target);
  return { ...clientOver(transport, target.key), caller, transport };
}

/** The traffic of a mock, or of one of its sessions. */
export function trafficOf({ transport }: Api, mockId: string, sessionId: string | undefined): TrafficClient {
  return new TrafficClient(transport, ['mocks', mockId, ...(sessionId === undefined ? [] : ['sessions', sessionId])]);
}

export interface Tool<Input = never> {
  readonly name: string;
  /** The command that does the same: "mocks list". */
  readonly verb: string;
  /** Whether that command has options of its own, in `cli`. */
  readonly hasOwnCommand?: true;
  readonly access: ToolAccess;
  /** Whether it removes what may be missed. */
  readonly isDestructive?: true;
  /** Effect, and when to use it. */
  readonly description: string;
  readonly input: TObject;
  /** @throws ToolError, or SwitchyardError for what the API refuses. */
  run(api: Api, input: Input): Promise<ToolAnswer>;
}

/** Declares a tool; `run` gets what its schema describes. */
export function tool<Schema extends TObject>(
  declared: Omit<Tool<Static<Schema>>, 'input'> & { readonly input: Schema },
): Tool {
  return declared;
}

/** Whether a caller gets a tool, and sees it. */
export function isOffered({ access }: Pick<Tool, 'access'>, role: Role, mode: McpMode): boolean {
  if (mode === 'staged' && access === 'serve') return false;
  return mayUse(access === 'read' ? 'read' : 'write', role);
}

export const mock = Type.String({ description: 'Id of the mock.' });
export const session = Type.Optional(Type.String({ description: 'Id of a session of the mock.' }));
export const offset = Type.Optional(Type.Integer({ minimum: 0, description: '`nextOffset` of the previous page.' }));
export const before = Type.Optional(Type.Integer({ minimum: 1, description: '`nextBefore` of the previous page.' }));
export const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 100 }));

/**
 * An object of the API by the names of its members: the list of tools is read with every conversation. The endpoint that the tool calls
 * checks it by the whole schema, and says what is wrong where.
 */
export function named<Schema extends TSchema>(schema: Schema, description = ''): TUnsafe<DeepReadonly<Static<Schema>>> {
  return Type.Unsafe({ type: 'object', description: `${description} {${memberNames(schema)}}`.trim() });
}

/** Names of members, those that may be absent with "?". */
export function memberNames(schema: TSchema): string {
  const { properties, required: always = [] } = schema as { properties: object; required?: readonly string[] };
  const names = Object.keys(properties).map((name) => (always.includes(name) ? name : `${name}?`));
  return names.toSorted((one, other) => Number(one.endsWith('?')) - Number(other.endsWith('?'))).join(', ');
}
