/** Commands decided and applied on an owner's state, without an actor or a store. */
import { isRefusal } from '../../src/errors.ts';
import type { Limits } from '../../src/limits.ts';
import type { Command, CommandContext } from '../../src/model/command.ts';
import { apply, type OwnerState } from '../../src/model/owner-state.ts';

/** The context of the next commit; its date is its version unless `given` has another. */
export function contextOn(state: OwnerState, limits: Limits, given: Partial<CommandContext> = {}): CommandContext {
  return {
    principal: { keyId: 'k', ownerId: state.ownerId, userId: 'ann', role: 'editor' },
    ownerOf: () => undefined,
    ownersOf: (ids) => ids.map(() => undefined),
    routeRevisions: () => undefined,
    historyBefore: () => [],
    limits,
    version: state.version + 1,
    date: state.version + 1,
    ...given,
  };
}

/** @returns The answer, or the message of a refusal. */
export function runOn<Input, Answer>(
  state: OwnerState,
  context: CommandContext,
  command: Command<Input, Answer>,
  input: Input,
): Answer | string {
  const decision = command.decide(state, input, context);
  if (isRefusal(decision)) return decision.message;
  if (decision.changes.length > 0) apply(state, decision.changes, context.version, context.date);
  return decision.answer;
}
