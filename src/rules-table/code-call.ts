/**
 * The interface between rules and what runs their code. Rules know nothing of where it runs: the function that runs it is
 * passed in (code-lane/code-lane.ts), and without it code is off.
 */

import type { ConsoleLine } from '../model/rule-reports.ts';

/** One call of the code of a rule. */
export interface CodeCall {
  readonly ruleId: string;
  /** An expression that is a function. */
  readonly source: string;
  /** Members of its one argument; those that are undefined are absent. */
  readonly args: Readonly<Record<string, string | number | Readonly<Record<string, string>> | undefined>>;
  /** Further members, which are another one as a second name for it. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Members that are what another member is as JSON; `{}` where that is not JSON, or the text itself if it has the same name. */
  readonly parsed: Readonly<Record<string, string>>;
}

export interface CodeResult {
  /** The body that the code wants. Undefined: it leaves the message as it is. */
  readonly body?: string | undefined;
  readonly failure?: { readonly reason: 'codeFailed' | 'codeTooLong'; readonly message: string } | undefined;
  readonly console: readonly Omit<ConsoleLine, 'ruleId'>[];
}

/** Never rejects. */
export type RunCode = (call: CodeCall) => Promise<CodeResult>;
