/** The declaration of a tool: one task, for agents and for the command line. */
import type { Static, TObject } from 'typebox';
import type { Role } from '../../model/principal.ts';
import { mayUse } from '../../model/principal.ts';
import type { ToolAnswer } from '../answer.ts';
import type { Api } from '../api.ts';

/** `serve` changes what is served, or acts on clients: it takes two calls (confirm.ts). */
type ToolAccess = 'read' | 'write' | 'serve';

/** `all`, or all but the tools that change what is served, or none. */
export type McpMode = 'all' | 'staged' | 'off';

export interface Tool<Input = never> {
  readonly name: string;
  /** The command that does the same: "mocks list". */
  readonly verb: string;
  /** Whether that command has options of its own, in `cli`. */
  readonly hasOwnCommand?: true;
  readonly access: ToolAccess;
  /** Whether it removes what may be missed. */
  readonly isDestructive?: true;
  /** What it does, and when to use it. */
  readonly description: string;
  readonly input: TObject;
  /** @throws ToolError */
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
