/** Reports on the rules of an exchange besides their changes: for the gateway, and for proxied requests of mocks. */
import { Type } from './schema-type.ts';
import type { Value } from './schema-value.ts';

const text = Type.String();

export const consoleSchema = Type.Array(Type.Object({ ruleId: text, level: text, text }), {
  description: 'Console output of rule code. Long lines are truncated; absent without output.',
});

export const skippedRulesSchema = Type.Array(Type.Object({ ruleId: text, reason: text, actual: Type.Optional(text) }), {
  description: 'The first 20 rules that the exchange prevented from acting. Absent when there are none.',
});

/** A line that the code of a rule wrote to its console. */
export type ConsoleLine = Value<typeof consoleSchema>[number];

/** A rule that the exchange itself kept from acting, and why. `actual`: how its code failed, or what its file is. */
export type SkippedRule = Value<typeof skippedRulesSchema>[number];
