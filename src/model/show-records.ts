/**
 * Commands and queries whose answers are shown: the same decisions, with what records get from each other
 * (group-tallies.ts) as of the same turn.
 */
import { isRefusal } from '../errors.ts';
import type { Command, Query } from './command.ts';
import type { Group } from './group.ts';
import type { RecordView, ShownGroup, ShownRule } from './group-tallies.ts';
import type { Page } from './queries.ts';
import type { Rule } from './rule.ts';

/** Makes what is shown of an answer. */
type Show<Answer, Shown> = (view: RecordView, answer: Answer) => Shown;

export const showRule: Show<Rule, ShownRule> = (view, rule) => view.showRule(rule);
export const showGroup: Show<Group, ShownGroup> = (view, group) => view.showGroup(group);

export function showPage<R, Shown>(show: Show<R, Shown>): Show<Page<R>, Page<Shown>> {
  return (view, { records, total, nextOffset }) => ({
    records: records.map((record) => show(view, record)),
    total,
    nextOffset,
  });
}

export function showChanged<Input, Answer, Shown>(
  command: Command<Input, Answer>,
  show: Show<Answer, Shown>,
): Command<Input, Shown> {
  return {
    ...command,
    decide(state, input, context) {
      const decision = command.decide(state, input, context);
      if (isRefusal(decision)) return decision;
      return { changes: decision.changes, answer: show(state.tallies, decision.answer) };
    },
  };
}

export function showRead<Input, Answer, Shown>(
  query: Query<Input, Answer>,
  show: Show<Answer, Shown>,
): Query<Input, Shown> {
  return {
    answer(state, input, context) {
      const answer = query.answer(state, input, context);
      if (isRefusal(answer)) return answer;
      if (!(answer instanceof Promise)) return show(state.tallies, answer);
      // The answer is made from a snapshot of this turn: so is what is shown of it.
      const view = state.tallies.snapshot();
      return answer.then((found) => (isRefusal(found) ? found : show(view, found)));
    },
  };
}
