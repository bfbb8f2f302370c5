/** Reports on the rules of an exchange besides their changes: for the gateway, and for proxied requests of mocks. */
import { Type } from './schema-type.ts';

/** A line that the code of a rule wrote to its console. */
export interface ConsoleLine {
  readonly ruleId: string;
  readonly level: string;
  readonly text: string;
}

/** A rule that the exchange itself kept from acting, and why. */
export interface SkippedRule {
  readonly ruleId: string;
  readonly reason: string;
  /** How its code failed, or what its file is. */
  readonly actual?: string;
}

const text = Type.String();

export const consoleSchema = Type.Array(Type.Object({ ruleId: text, level: text, text }), {
  description: 'Console output of rule code. Long lines are truncated; absent without output.',
});

export const skippedRulesSchema = Type.Array(Type.Object({ ruleId: text, reason: text, actual: Type.Optional(text) }), {
  description: 'The first 20 rules that the exchange prevented from acting. Absent when there are none.',
});
