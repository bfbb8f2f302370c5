/**
 * Pages with the owner's version that they show: a client that has the page of this version already is answered 304, and
 * nothing is searched for it.
 *
 * The version says enough, since everything that a list shows of an owner changes with its commits alone.
 */
import { isRefusal, type Refusal } from '../errors.ts';
import type { Query } from './command.ts';
import type { Page } from './queries.ts';

/** A page as of one version of its owner. */
export interface PageAt<R> {
  readonly version: number;
  /** undefined when the client has it. */
  readonly page: Page<R> | undefined;
}

/** Whether the client has the page of this version of the owner. */
export type IsKnown = (version: number) => boolean;

/** The same list, unless the client has it already. */
export function pageAt<Input, R>(
  list: Query<Input, Page<R>>,
): Query<{ readonly list: Input; readonly isKnown: IsKnown }, PageAt<R>> {
  return {
    answer(state, input, context) {
      const { version } = state;
      if (input.isKnown(version)) return { version, page: undefined };
      const page = list.answer(state, input.list, context);
      const asOfVersion = (found: Page<R> | Refusal) => (isRefusal(found) ? found : { version, page: found });
      // A list that is searched is one of this turn.
      return page instanceof Promise ? page.then(asOfVersion) : asOfVersion(page);
    },
  };
}
