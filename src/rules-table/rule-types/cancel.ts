/** Ends the exchange with a response that names the rule. */
import type { RuleKind } from './rule-kind.ts';

/** "I'm a teapot": services do not send this status themselves, so it points to a rule. */
const STATUS = 418;

export const cancel: RuleKind<null> = {
  phases: ['cancel'],
  acting: 'first',
  normalise: () => null,
  apply(_, stage) {
    stage.answer = {
      status: STATUS,
      statusText: undefined,
      headers: [
        { name: 'cache-control', value: 'no-cache' },
        { name: 'content-type', value: 'text/plain; charset=utf-8' },
      ],
      body: Buffer.from(`Blocked by the rule ${JSON.stringify(stage.ruleName)}\n`),
    };
    stage.changed.push({ what: 'status', before: null, after: `${STATUS}` });
    return true;
  },
  explain: () => ({ reason: 'noChange' }),
};
