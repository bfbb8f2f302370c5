/** What is reported of the rules of an exchange beside what they changed: of the gateway, and of mocks to their upstreams. */
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
}

const text = Type.String();

export const consoleSchema = Type.Array(Type.Object({ ruleId: text, level: text, text }), {
  description: 'What code of rules wrote to its console. Long lines are cut; absent where it wrote nothing.',
});

export const skippedRulesSchema = Type.Array(Type.Object({ ruleId: text, reason: text }), {
  description: 'Rules that the exchange itself kept from acting: the first 20. Absent where there are none.',
});
